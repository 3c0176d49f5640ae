#include "model/lexical_decoder.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ops/affine.h"
#include "ops/packed_rows.h"
#include "ops/to_device.h"

namespace softalign {

class LexicalDecoder::Memory : public DecoderMemory {
public:
    Memory(MemoryPtr of_decoder, at::Tensor words) : decoder(std::move(of_decoder)), embedded(std::move(words)) {}

    MemoryPtr select(const at::Tensor& rows) const override {
        return std::make_shared<Memory>(decoder->select(rows),
                                        select_rows(embedded, to_device(rows, embedded.device())));
    }
    MemoryPtr share(const at::Tensor& rows) const override {
        return std::make_shared<Memory>(decoder->share(rows),
                                        select_rows(embedded, to_device(rows, embedded.device())));
    }

    MemoryPtr decoder;
    at::Tensor embedded;  // [N,S,E] of the source words
};

LexicalDecoder::LexicalDecoder(const ModelConfig& config, std::shared_ptr<const Decoder> decoder)
    : decoder_(std::move(decoder)),
      weight_(declare("weight", {config.embedding_size, config.embedding_size}, Role::matrix)) {}

MemoryPtr LexicalDecoder::prepare(const Encoded& encoded, const Execution& execution) const {
    return std::make_shared<Memory>(decoder_->prepare(encoded, execution), encoded.embedded);
}

MemoryPtr LexicalDecoder::prepare_for_many(const MemoryPtr& memory, const Execution& execution) const {
    const auto& both = dynamic_cast<const Memory&>(*memory);
    const MemoryPtr many = decoder_->prepare_for_many(both.decoder, execution);
    return many == both.decoder ? memory : std::make_shared<Memory>(many, both.embedded);
}

StatePtr LexicalDecoder::start(const Encoded& encoded, const Execution& execution) const {
    return decoder_->start(encoded, execution);
}

at::Tensor LexicalDecoder::with_lexical(const at::Tensor& readouts, const at::Tensor& mean,
                                        const Execution& execution) const {
    const at::Tensor words = mean.tanh();
    return at::cat({readouts, affine(words, weight_, execution).tanh() + words}, -1);
}

DecoderSteps LexicalDecoder::step(const at::Tensor& embedded, const DecoderMemory& memory, const DecoderState& state,
                                  Weights /*weights*/, const Execution& execution) const {
    const auto& both = dynamic_cast<const Memory&>(memory);
    DecoderSteps steps = decoder_->step(embedded, *both.decoder, state, Weights::wanted, execution);
    const at::Tensor mean = at::bmm(steps.weights.transpose(0, 1), both.embedded);  // [N,T,E]
    steps.readouts = with_lexical(steps.readouts, mean.transpose(0, 1), execution);
    return steps;
}

TaughtSteps LexicalDecoder::teacher_forced(const TaughtWords& words, const DecoderMemory& memory,
                                           const DecoderState& state, const Execution& execution) const {
    const auto& both = dynamic_cast<const Memory&>(memory);
    TaughtSteps steps =
        decoder_->teacher_forced({words.embedded, words.rows, Weights::wanted}, *both.decoder, state, execution);
    const at::Tensor mean = at::bmm(unpack(steps.weights, words.rows), both.embedded);  // [B,T,E]
    steps.readouts = with_lexical(steps.readouts, pack(mean, words.rows), execution);
    return steps;
}

std::vector<PartWork> LexicalDecoder::work(const BatchShape& on) const {
    std::vector<PartWork> parts = decoder_->work(on);
    parts.push_back({"lexical model", flop(on.pairs(), weight_.size(0)) + flop(on.targets(), weight_)});
    return parts;
}

}  // namespace softalign
