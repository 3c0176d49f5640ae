#pragma once

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include <cstdint>

namespace softalign {

// Layer normalisation (Ba, Kiros, Hinton 2016) over the last dimension: gain * (x - mean) / sqrt(var + 1e-5) + bias.
class LayerNorm : public torch::nn::Module {
public:
    explicit LayerNorm(std::int64_t size);
    at::Tensor forward(const at::Tensor& x) const;  // [...,size] -> the same

private:
    at::Tensor gain_;  // [size], 1 at first
    at::Tensor bias_;  // [size], 0 at first
};

}  // namespace softalign
