#pragma once

#include <ATen/ATen.h>

#include <cstdint>

#include "model/part.h"

namespace softalign {

// Layer normalisation (Ba, Kiros, Hinton 2016) over the last dimension: gain * (x - mean) / sqrt(var + 1e-5) + bias.
class LayerNorm : public Part {
public:
    explicit LayerNorm(std::int64_t size)
        : gain_(declare("gain", {size}, Role::gain)), bias_(declare("bias", {size}, Role::bias)) {}

    const at::Tensor& gain() const { return gain_; }
    const at::Tensor& bias() const { return bias_; }

    // [...,size] -> the same
    at::Tensor forward(const at::Tensor& x) const { return at::layer_norm(x, gain_.sizes(), gain_, bias_, 1e-5); }

private:
    at::Tensor gain_;  // [size]
    at::Tensor bias_;  // [size]
};

}  // namespace softalign
