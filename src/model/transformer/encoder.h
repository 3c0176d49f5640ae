#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "config/config.h"
#include "model/encoder.h"
#include "model/stack_input.h"
#include "model/transformer/layers.h"

namespace softalign {

// Vaswani et al. 2017, section 3: layers of self-attention and a feed-forward network on the embeddings with positions.
// With normalisation before the sub-layers (Xiong et al. 2020), the annotations are normalised at the end.
class TransformerEncoder : public Encoder {
public:
    explicit TransformerEncoder(const ModelConfig& config);

    Encoded encode(const SourceBatch& source, const Execution& execution) const override;
    std::int64_t annotation_size() const override { return size_; }
    std::vector<PartWork> work(const BatchShape& on) const override;

private:
    // One layer: sub-layers with their norms.
    class Layer;

    std::int64_t size_;  // H
    double drop_context_;
    StackInput input_;
    std::vector<std::shared_ptr<Layer>> layers_;
    std::shared_ptr<LayerNorm> norm_;  // null with normalisation after the sub-layers
};

}  // namespace softalign
