#include "search/seq2seq_stepper.h"

#include <numeric>

namespace softalign {

Seq2SeqStepper::Seq2SeqStepper(const Seq2Seq& model, const at::Tensor& source, const at::Tensor& mask)
    : model_(model), sentence_of_row_(static_cast<std::size_t>(source.size(0))) {
    const at::NoGradGuard no_gradients;
    const EncoderOutput encoded = model_.encode(source, mask, nullptr);
    sentences_ = model_.prepare(encoded);
    memory_ = sentences_;
    state_ = model_.initial_state(encoded);
    std::iota(sentence_of_row_.begin(), sentence_of_row_.end(), 0);
}

StepOutput Seq2SeqStepper::step(const at::Tensor& previous) {
    const at::NoGradGuard no_gradients;
    TargetStep step = model_.step(previous.to(sentences_.mask.device()), memory_, state_);
    state_ = std::move(step.state);
    return {at::log_softmax(step.logits, 1, at::kFloat), step.weights, {}};
}

void Seq2SeqStepper::select(const at::Tensor& rows) {
    const at::NoGradGuard no_gradients;
    const at::Device device = sentences_.mask.device();
    state_ = state_.select(rows.to(device));
    const std::int64_t* row = rows.data_ptr<std::int64_t>();
    std::vector<std::int64_t> sentence_of_row(static_cast<std::size_t>(rows.size(0)));
    for (std::int64_t& sentence : sentence_of_row) {
        sentence = sentence_of_row_[static_cast<std::size_t>(*row++)];
    }
    if (sentence_of_row != sentence_of_row_) {
        sentence_of_row_ = std::move(sentence_of_row);
        memory_ = sentences_.select(at::tensor(sentence_of_row_, at::kLong).to(device));
    }
}

}  // namespace softalign
