#pragma once

#include <ATen/ATen.h>

namespace softalign {

// The elementwise part of a GRU step. projected [N,3H] = W x + b, recurrent [N,3H] = U h + d, hidden [N,H]; gates in
// the order r, z, n:
//   r = sigma(projected_r + recurrent_r), z = sigma(projected_z + recurrent_z),
//   n = tanh(projected_n + r * recurrent_n), h' = (1 - z) * n + z * h.
// Returns h' [N,H]. On the CPU with float32 or float64, the forward and the backward pass are written by hand;
// elsewhere the plain form is used.
at::Tensor gru_gates(const at::Tensor& projected, const at::Tensor& recurrent, const at::Tensor& hidden);

// The same with ATen's differentiable operations: the reference against which tests check the fast form.
at::Tensor gru_gates_plain(const at::Tensor& projected, const at::Tensor& recurrent, const at::Tensor& hidden);

}  // namespace softalign
