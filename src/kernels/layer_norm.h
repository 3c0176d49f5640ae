#pragma once

#include "kernels/unit_shape.h"

namespace softalign {

// Layer normalisation (Ba, Kiros, Hinton 2016) of N rows of H numbers, for float and double, all arrays contiguous:
//   y = gain * normalized + shift, normalized = (x - mean) * scale, scale = 1 / sqrt(var + 1e-5).
// x, normalized, y [N,H]; gain, shift [H]; scale [N]. y may be x.
template <typename T>
void layer_norm_forward(const T* x, const T* gain, const T* shift, T* normalized, T* scale, T* y,
                        const UnitShape& shape);

// The gradient of x [N,H] from that of y; adds those of gain and shift [H]. grad_x may be grad_y.
template <typename T>
void layer_norm_backward(const T* normalized, const T* scale, const T* gain, const T* grad_y, T* grad_gain,
                         T* grad_shift, T* grad_x, const UnitShape& shape);

}  // namespace softalign
