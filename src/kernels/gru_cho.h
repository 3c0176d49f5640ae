#pragma once

#include "kernels/unit_shape.h"

namespace softalign {

// The elementwise parts of a step of Cho's gated unit for N rows of H units (model/recurrent/cell.h), before and after
// the product of the reset state, for float and double, all arrays contiguous, gates in the order r, z, n:
//   r = sigma(projected_r + recurrent_r), z = sigma(projected_z + recurrent_z), reset = r * entering;
//   n = tanh(projected_n + recurrent_n), next = (1 - z) * hidden + z * n.
// projected, gates [N,3H]; recurrent [N,2H] = U_r,z entering; recurrent_n = U_n reset, entering (the state, or the
// state times a mask), reset, hidden, next [N,H]. gates and reset are what the backward pass needs.
template <typename T>
void cho_reset_forward(const T* projected, const T* recurrent, const T* entering, T* gates, T* reset,
                       const UnitShape& shape);
template <typename T>
void cho_update_forward(const T* projected, const T* recurrent_n, const T* hidden, T* gates, T* next,
                        const UnitShape& shape);

// Backwards, the second part first. From the gradient of next [N,H]: those of z and n before their functions, in
// grad_gates [N,3H], and of hidden [N,H] where it enters `next` directly. grad_hidden may be grad_next.
template <typename T>
void cho_update_backward(const T* gates, const T* hidden, const T* grad_next, T* grad_gates, T* grad_hidden,
                         const UnitShape& shape);
// From the gradient of reset [N,H]: that of r before its function, in grad_gates, and of entering [N,H] where it enters
// `reset`. grad_entering may be grad_reset.
template <typename T>
void cho_reset_backward(const T* gates, const T* entering, const T* grad_reset, T* grad_gates, T* grad_entering,
                        const UnitShape& shape);

}  // namespace softalign
