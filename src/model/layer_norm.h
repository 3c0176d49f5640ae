#pragma once

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include <cstdint>

#include "model/parameter.h"

namespace softalign {

// Layer normalisation (Ba, Kiros, Hinton 2016) over the last dimension: gain * (x - mean) / sqrt(var + 1e-5) + bias.
class LayerNorm : public torch::nn::Module {
public:
    explicit LayerNorm(std::int64_t size)
        : gain_(register_parameter("gain", declared_parameter({size}, 1.0F))),
          bias_(register_parameter("bias", declared_parameter({size}))) {}

    // [...,size] -> the same
    at::Tensor forward(const at::Tensor& x) const { return at::layer_norm(x, gain_.sizes(), gain_, bias_, 1e-5); }

private:
    at::Tensor gain_;  // [size], 1 at first
    at::Tensor bias_;  // [size], 0 at first
};

}  // namespace softalign
