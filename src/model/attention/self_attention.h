#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>

#include "config/config.h"
#include "model/attention/attention.h"
#include "model/layer_norm.h"

namespace softalign {

// Multi-head self-attention over the annotations, with the same mechanism as in the decoder: LN(x + MHA(x, x, x))
// (Vaswani et al. 2017, sections 3.1 and 3.2.3).
class SelfAttentionLayer : public Part {
public:
    // REQUIRES: the heads divide `size`, and the groups divide the heads.
    SelfAttentionLayer(const SelfAttentionConfig& config, std::int64_t size);

    // The annotations x [B,S,size] -> [B,S,size]. Values at padding are ignored; the output there is meaningless.
    at::Tensor forward(const Encoded& encoded, const Execution& execution) const;

    // Its matrix products over the source positions, in floating-point operations.
    double work(const BatchShape& on) const;

private:
    std::shared_ptr<Attention> attention_;
    std::shared_ptr<LayerNorm> norm_;
};

}  // namespace softalign
