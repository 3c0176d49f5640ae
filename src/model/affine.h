#pragma once

#include <ATen/ATen.h>

namespace softalign {

// Weights here are trained with their gradients kept in place (weight.grad() is defined: a view of the flat vector that
// an update reads). A product whose gradient goes straight there saves writing it, reading it and adding it in a pass
// of its own, which for wide layers costs as much as a tenth of the product.

// x W^T + b: x [...,K], weight [N,K], bias [N] or undefined -> [...,N]. at::linear, whose backward pass adds the
// gradients of the weights to weight.grad() where that is defined. torch::autograd::grad therefore sees no gradient of
// a weight that has one already.
at::Tensor affine(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias = at::Tensor());

// Rows of a table: ids [...] int64, table [V,E] -> [...,E]. at::embedding, with the same rule for the gradient.
at::Tensor look_up(const at::Tensor& table, const at::Tensor& ids);

// For backward passes written by hand. Each adds to the gradient of a weight and returns nothing where it has one, else
// returns the gradient.

// grad^T x: grad [P,N], x [P,K] -> of weight [N,K].
at::Tensor deposit_product(const at::Tensor& weight, const at::Tensor& grad, const at::Tensor& x);

// `gradient` itself, of any shape.
at::Tensor deposit(const at::Tensor& weight, const at::Tensor& gradient);

}  // namespace softalign
