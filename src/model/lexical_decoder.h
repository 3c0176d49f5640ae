#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "config/config.h"
#include "model/decoder.h"
#include "ops/execution.h"

namespace softalign {

// A decoder with a lexical model (Nguyen and Chiang 2018, section 4), which proposes translations of the source words
// that a step attends to, without the states of encoder and decoder. From the embeddings x_s of the source and the
// weights alpha_t that alignments come from:
//   l_t = tanh(sum_s alpha_ts x_s),  k_t = tanh(W l_t) + l_t.
// The readout is [t_t ; k_t], with t_t that of the decoder itself, of which memory and state are unchanged otherwise.
class LexicalDecoder : public Decoder {
public:
    // REQUIRES: decoder->has_attention(). It is not a part of this: its owner registers both.
    LexicalDecoder(const ModelConfig& config, std::shared_ptr<const Decoder> decoder);

    MemoryPtr prepare(const Encoded& encoded, const Execution& execution) const override;
    MemoryPtr prepare_for_many(const MemoryPtr& memory, const Execution& execution) const override;
    StatePtr start(const Encoded& encoded, const Execution& execution) const override;
    DecoderSteps step(const at::Tensor& embedded, const DecoderMemory& memory, const DecoderState& state,
                      Weights weights, const Execution& execution) const override;
    TaughtSteps teacher_forced(const TaughtWords& words, const DecoderMemory& memory, const DecoderState& state,
                               const Execution& execution) const override;
    bool has_attention() const override { return true; }
    std::int64_t readout_size() const override { return decoder_->readout_size() + weight_.size(0); }

    // Those of the decoder, and "lexical model".
    std::vector<PartWork> work(const BatchShape& on) const override;

private:
    class Memory;

    // [t_t ; k_t] from t_t [...,R] and the mean of the source's embeddings under the weights, [...,E].
    at::Tensor with_lexical(const at::Tensor& readouts, const at::Tensor& mean, const Execution& execution) const;

    std::shared_ptr<const Decoder> decoder_;
    at::Tensor weight_;  // W [E,E]
};

}  // namespace softalign
