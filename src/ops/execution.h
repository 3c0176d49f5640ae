#pragma once

#include <ATen/ATen.h>

namespace softalign {

class Noise;
class PackedWeights;

// How a pass through a model computes, passed down to every operation that it concerns. The caller owns both objects;
// they outlive the pass and its backward pass.
struct Execution {
    Execution(PackedWeights* packed, Noise* randomness) : weights(packed), noise(randomness) {}

    PackedWeights* weights;  // packed copies of the weights, and the precision of products; null: none, and float32
    Noise* noise;            // draws the dropout masks; null: no dropout
};

// No packed weights, no rounding and no dropout.
inline const Execution plain_execution{nullptr, nullptr};

// Whether the hand-written forms of this folder serve tensors of this device and type: float32 and float64 on the CPU.
inline bool has_fused_form(const at::Tensor& x) {
    return x.device().is_cpu() && (x.scalar_type() == at::kFloat || x.scalar_type() == at::kDouble);
}

}  // namespace softalign
