#pragma once

#include <ATen/ATen.h>

#include <cstdint>

namespace softalign {

class Noise;
class PackedWeights;
class RepeatedWeights;

// How a pass through a model computes, passed down to every operation that it concerns. The caller owns both objects;
// they outlive the pass and its backward pass.
struct Execution {
    Execution(PackedWeights* packed, Noise* randomness) : weights(packed), noise(randomness) {}

    PackedWeights* weights;  // packed copies of the weights, and the precision of products; null: none, and float32
    Noise* noise;            // draws the dropout masks; null: no dropout
    RepeatedWeights* repeated = nullptr;  // of the loop over steps that this pass is in; null: none
};

// Whether the hand-written forms of this folder serve tensors of this device and type: float32 and float64 on the CPU.
inline bool has_fused_form(const at::Tensor& x) {
    return x.device().is_cpu() && (x.scalar_type() == at::kFloat || x.scalar_type() == at::kDouble);
}

// The randomness of one forward pass. A dropout mask is a function of (key, number of the call, element), not of a
// stored generator, so that any update can be recomputed and threads do not share a stream. All devices draw the same
// masks.
class Noise {
public:
    explicit Noise(std::uint64_t key) : key_(key) {}

    // A mask whose elements are 0 with probability p and 1/(1-p) otherwise. REQUIRES: 0 < p < 1, a floating type.
    at::Tensor mask(at::IntArrayRef sizes, double p, const at::TensorOptions& options);

    // The key of the next mask, for operations that compute its elements themselves; counts as a call.
    std::uint64_t next_key();

private:
    std::uint64_t key_;
    std::uint64_t calls_ = 0;
};

// Inverted dropout (Srivastava et al. 2014): x times a fresh mask. Without noise, or with p = 0, x itself.
at::Tensor dropout(const at::Tensor& x, double p, Noise* noise);

// The same for whole rows: x [...,E] with one element of the mask for each row.
at::Tensor drop_rows(const at::Tensor& x, double p, Noise* noise);

// The same mask with tensor operations only: for devices other than the CPU, and the reference for the CPU loop.
at::Tensor hashed_mask(at::IntArrayRef sizes, double p, std::uint64_t key, const at::TensorOptions& options);

// A mask with a row [width] for each of the numbers `rows` [...], int64: element s of row n is a function of (key, n,
// s), the one that kernels/flash_attention.h computes. -> [...,width]
at::Tensor hashed_mask_of_rows(const at::Tensor& rows, std::int64_t width, double p, std::uint64_t key,
                               const at::TensorOptions& options);

}  // namespace softalign
