#pragma once

#include "kernels/unit_shape.h"

namespace softalign {

// The elementwise part of an LSTM step for N rows of H units (LibTorch's unit; model/recurrent/cell.h), for float and
// double, all arrays contiguous, gates in the order i, f, g, o:
//   i = sigma(projected_i + recurrent_i), f and o likewise, g = tanh(projected_g + recurrent_g),
//   next_cell = f * cell + i * g, next = o * tanh(next_cell).
// projected, recurrent, gates [N,4H]; cell, next_cell, next [N,H]. gates (i, f, g, o) are what the backward pass needs.
template <typename T>
void lstm_forward(const T* projected, const T* recurrent, const T* cell, T* gates, T* next_cell, T* next,
                  const UnitShape& shape);

// The gradients of projected and of recurrent, which are the same [N,4H], and of cell [N,H], from those of next and of
// next_cell [N,H]. grad_cell may be grad_next_cell.
template <typename T>
void lstm_backward(const T* gates, const T* cell, const T* grad_next, const T* grad_next_cell, T* grad_gates,
                   T* grad_cell, const UnitShape& shape);

}  // namespace softalign
