#pragma once

#include <ATen/ATen.h>

namespace softalign {

// The elementwise half of a GRU step. projected [N,3H] = W x + b, recurrent [N,3H] = U h + d, hidden [N,H]; gates in
// the order r, z, n:
//   r = sigma(projected_r + recurrent_r), z = sigma(projected_z + recurrent_z),
//   n = tanh(projected_n + r * recurrent_n), h' = (1 - z) * n + z * h.
// Returns h' [N,H]. On the CPU in float32 and float64 one pass forward and one backward, by hand; the plain form
// elsewhere.
at::Tensor gru_gates(const at::Tensor& projected, const at::Tensor& recurrent, const at::Tensor& hidden);

// The same by ATen's differentiable operations: the reference that tests hold the fast form to.
at::Tensor gru_gates_plain(const at::Tensor& projected, const at::Tensor& recurrent, const at::Tensor& hidden);

}  // namespace softalign
