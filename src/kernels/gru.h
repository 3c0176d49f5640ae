#pragma once

#include "kernels/unit_shape.h"

namespace softalign {

// The elementwise part of a GRU step for N rows of H units (LibTorch's unit; model/recurrent/cell.h), for float and
// double, all arrays contiguous, gates in the order r, z, n:
//   r = sigma(projected_r + recurrent_r), z = sigma(projected_z + recurrent_z),
//   n = tanh(projected_n + r * recurrent_n), next = (1 - z) * n + z * hidden.
// projected, recurrent, gates [N,3H]; recurrent_n, hidden, next [N,H]. gates (r, z, n) and recurrent_n are what the
// backward pass needs.
template <typename T>
void gru_forward(const T* projected, const T* recurrent, const T* hidden, T* gates, T* recurrent_n, T* next,
                 const UnitShape& shape);

// The gradients of projected and recurrent [N,3H], and of hidden [N,H] where it enters `next` directly, from that of
// next [N,H]. grad_hidden may be grad_next.
template <typename T>
void gru_backward(const T* gates, const T* recurrent_n, const T* hidden, const T* grad_next, T* grad_projected,
                  T* grad_recurrent, T* grad_hidden, const UnitShape& shape);

}  // namespace softalign
