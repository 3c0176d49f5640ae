#pragma once

#include "kernels/unit_shape.h"

namespace softalign {

// The elementwise part of a GRU step for N rows of H units (LibTorch's unit; model/recurrent/cell.h), all arrays
// contiguous, gates in the order r, z, n:
//   r = sigma(projected_r + recurrent_r), z = sigma(projected_z + recurrent_z),
//   n = tanh(projected_n + r * recurrent_n), next = (1 - z) * n + z * hidden.
// projected, recurrent, gates [N,3H]; recurrent_n, hidden, next [N,H]. gates (r, z, n) and recurrent_n are what the
// backward pass needs.
void gru_forward(const float* projected, const float* recurrent, const float* hidden, float* gates, float* recurrent_n,
                 float* next, const UnitShape& shape);
void gru_forward(const double* projected, const double* recurrent, const double* hidden, double* gates,
                 double* recurrent_n, double* next, const UnitShape& shape);

// The gradients of projected and recurrent [N,3H], and of hidden [N,H] where it enters `next` directly, from that of
// next [N,H]. grad_hidden may be grad_next.
void gru_backward(const float* gates, const float* recurrent_n, const float* hidden, const float* grad_next,
                  float* grad_projected, float* grad_recurrent, float* grad_hidden, const UnitShape& shape);
void gru_backward(const double* gates, const double* recurrent_n, const double* hidden, const double* grad_next,
                  double* grad_projected, double* grad_recurrent, double* grad_hidden, const UnitShape& shape);

}  // namespace softalign
