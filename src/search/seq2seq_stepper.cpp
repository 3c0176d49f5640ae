#include "search/seq2seq_stepper.h"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "ops/loss.h"
#include "ops/to_device.h"

namespace softalign {

namespace {

// From so many rows a sentence on it pays to project the annotations instead of each row's context.
constexpr std::int64_t many_hypotheses = 3;

}  // namespace

Seq2SeqStepper::Seq2SeqStepper(const Seq2Seq& model, const SourceBatch& source, const Execution& execution,
                               const SteppingOptions& options)
    : model_(model), execution_(execution), weights_(options.weights), sentence_of_row_(source.lengths.size()) {
    const at::NoGradGuard no_gradients;
    const Encoded encoded = model_.encode(source, execution);
    sentences_ = model_.decoder().prepare(encoded, execution);
    if (options.hypotheses >= many_hypotheses) {
        sentences_ = model_.decoder().prepare_for_many(sentences_, execution);
    }
    memory_ = sentences_;
    state_ = model_.decoder().start(encoded, execution);
    if (options.candidates != nullptr) {
        candidates_ = *options.candidates;
        words_ = model_.output_words(candidates_.ids, execution);
        allowed_ = candidates_.mask;
    }
    std::iota(sentence_of_row_.begin(), sentence_of_row_.end(), 0);
}

StepOutput Seq2SeqStepper::step(const at::Tensor& previous) {
    const at::NoGradGuard no_gradients;
    const bool some = candidates_.ids.defined();
    TargetStep step = model_.step(previous, *memory_, *state_, execution_, {some ? &words_ : nullptr, weights_});
    state_ = std::move(step.state);
    return {some ? candidate_log_probs(step.logits, candidates_.ids, allowed_, model_.sizes().target)
                 : log_softmax(std::move(step.logits)),
            step.weights,
            {}};
}

void Seq2SeqStepper::select(const at::Tensor& rows) {
    const at::NoGradGuard no_gradients;
    state_ = state_->select(rows);
    const std::int64_t* row = rows.data_ptr<std::int64_t>();
    std::vector<std::int64_t> sentence_of_row(static_cast<std::size_t>(rows.size(0)));
    for (std::int64_t& sentence : sentence_of_row) {
        sentence = sentence_of_row_[static_cast<std::size_t>(*row++)];
    }
    if (sentence_of_row != sentence_of_row_) {
        sentence_of_row_ = std::move(sentence_of_row);
        const at::Tensor sentences = at::tensor(sentence_of_row_, at::kLong);
        memory_ = sentences_->share(sentences);
        if (candidates_.mask.defined()) {
            allowed_ = candidates_.mask.index_select(0, to_device(sentences, candidates_.mask.device()));
        }
    }
}

}  // namespace softalign
