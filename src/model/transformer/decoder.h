#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "config/config.h"
#include "model/decoder.h"
#include "model/stack_input.h"
#include "model/transformer/layers.h"

namespace softalign {

// Vaswani et al. 2017, section 3: layers of causal self-attention, attention to the annotations and a feed-forward
// network. The readout is the output of the last layer.
class TransformerDecoder : public Decoder {
public:
    TransformerDecoder(const ModelConfig& config, std::int64_t annotation_size);

    MemoryPtr prepare(const Encoded& encoded, const Execution& execution) const override;
    StatePtr start(const Encoded& encoded, const Execution& execution) const override;
    DecoderSteps step(const at::Tensor& embedded, const DecoderMemory& memory, const DecoderState& state,
                      Weights weights, const Execution& execution) const override;
    TaughtSteps teacher_forced(const TaughtWords& words, const DecoderMemory& memory, const DecoderState& state,
                               const Execution& execution) const override;
    bool has_attention() const override { return true; }
    std::int64_t readout_size() const override { return config_.hidden_size; }
    std::vector<PartWork> work(const BatchShape& on) const override;

private:
    class Layer;
    class Memory;
    class State;
    // What a pass through the layers reads, and what it leaves behind.
    struct Run;

    // x [P,H], the words of run.self one row after another -> readouts [P,H].
    at::Tensor run_layers(at::Tensor x, Run& run) const;

    DecoderConfig config_;
    std::int64_t alignment_layer_;  // from 0
    StackInput input_;
    std::vector<std::shared_ptr<Layer>> layers_;
    std::shared_ptr<LayerNorm> norm_;  // null with normalisation after the sub-layers
};

}  // namespace softalign
