#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "ops/execution.h"

namespace softalign {

// During training, weight.grad() is a view of the flat vector that an update reads. The functions below add gradients
// directly to it. This saves writing a temporary tensor, reading it and adding it in a separate pass, which for wide
// layers costs up to a tenth of the product.

// x W^T + b: x [...,K], weight [N,K], bias [N] or undefined -> [...,N]. Like at::linear, but the backward pass adds the
// gradients of the weights to weight.grad() where that is defined. torch::autograd::grad therefore returns no gradient
// for a weight that already has one.
at::Tensor affine(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, const Execution& execution);

// x W^T.
inline at::Tensor affine(const at::Tensor& x, const at::Tensor& weight, const Execution& execution) {
    return affine(x, weight, at::Tensor(), execution);
}

// Rows of a table: ids [...] int64, table [V,E] -> [...,E], with Precision::int8 rounded (ops/rounded_rows.h). Like
// at::embedding, with gradients as in affine().
at::Tensor look_up(const at::Tensor& table, const at::Tensor& ids, const Execution& execution);

// For hand-written backward passes. If the weight has a gradient, each function adds to it and returns an undefined
// tensor; otherwise it returns the gradient.

// grad^T x: grad [P,N], x [P,K] -> the gradient of weight [N,K]. `packed` as in Execution::weights.
at::Tensor deposit_product(const at::Tensor& weight, const at::Tensor& grad, const at::Tensor& x,
                           const PackedWeights* packed);

// The same for a weight whose rows are applied to several x: one after another, each the gradient of as many rows as
// its grad has columns.
struct GradientFactors {
    at::Tensor grad;  // [P,N_i]
    at::Tensor x;     // [P,K]
};
at::Tensor deposit_products(const at::Tensor& weight, const std::vector<GradientFactors>& parts,
                            const PackedWeights* packed);

// `gradient` itself, of any shape.
at::Tensor deposit(const at::Tensor& weight, const at::Tensor& gradient);

}  // namespace softalign
