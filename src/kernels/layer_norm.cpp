#include "kernels/layer_norm.h"

#include <cmath>
#include <cstdint>

#include "kernels/instruction_sets.h"
#include "kernels/sum_in_lanes.h"
#include "kernels/vector_math.h"

namespace softalign {

namespace {

// y may be x.
template <typename T>
SOFTALIGN_INLINE T forward_row(const T* x, const T* __restrict gain, const T* __restrict shift,
                               T* __restrict normalized, T* y, std::int64_t width) {
    const T mean = sum_in_lanes<T>(width, [=](std::int64_t i) { return x[i]; }) / static_cast<T>(width);
    const T squares = sum_in_lanes<T>(width, [=](std::int64_t i) { return (x[i] - mean) * (x[i] - mean); });
    const T scale = static_cast<T>(1) / std::sqrt(squares / static_cast<T>(width) + static_cast<T>(1e-5));
    SOFTALIGN_INDEPENDENT_STEPS
    for (std::int64_t i = 0; i < width; ++i) {
        const T value = (x[i] - mean) * scale;
        normalized[i] = value;
        y[i] = gain[i] * value + shift[i];
    }
    return scale;
}

// With g = grad_y * gain: grad_x = scale * (g - mean(g) - normalized * mean(g * normalized)). grad_x may be grad_y.
template <typename T>
SOFTALIGN_INLINE void backward_row(const T* __restrict normalized, T scale, const T* __restrict gain, const T* grad_y,
                                   T* __restrict grad_gain, T* __restrict grad_shift, T* grad_x, std::int64_t width) {
    const T count = static_cast<T>(width);
    const T mean = sum_in_lanes<T>(width, [=](std::int64_t i) { return grad_y[i] * gain[i]; }) / count;
    const T along = sum_in_lanes<T>(width, [=](std::int64_t i) { return grad_y[i] * gain[i] * normalized[i]; }) / count;
    SOFTALIGN_INDEPENDENT_STEPS
    for (std::int64_t i = 0; i < width; ++i) {
        const T grad = grad_y[i];
        grad_gain[i] += grad * normalized[i];
        grad_shift[i] += grad;
        grad_x[i] = scale * (grad * gain[i] - mean - normalized[i] * along);
    }
}

}  // namespace

template <typename T>
void layer_norm_forward(const T* x, const T* gain, const T* shift, T* normalized, T* scale, T* y,
                        const UnitShape& shape) {
    const auto [rows, width] = shape;
    with_instructions_for<T>([=, rows = rows, width = width]() SOFTALIGN_INLINE_BODY {
        for (std::int64_t n = 0; n < rows; ++n) {
            scale[n] = forward_row(x + n * width, gain, shift, normalized + n * width, y + n * width, width);
        }
    });
}

template <typename T>
void layer_norm_backward(const T* normalized, const T* scale, const T* gain, const T* grad_y, T* grad_gain,
                         T* grad_shift, T* grad_x, const UnitShape& shape) {
    const auto [rows, width] = shape;
    with_instructions_for<T>([=, rows = rows, width = width]() SOFTALIGN_INLINE_BODY {
        for (std::int64_t n = 0; n < rows; ++n) {
            backward_row(normalized + n * width, scale[n], gain, grad_y + n * width, grad_gain, grad_shift,
                         grad_x + n * width, width);
        }
    });
}

template void layer_norm_forward(const float*, const float*, const float*, float*, float*, float*, const UnitShape&);
template void layer_norm_forward(const double*, const double*, const double*, double*, double*, double*,
                                 const UnitShape&);
template void layer_norm_backward(const float*, const float*, const float*, const float*, float*, float*, float*,
                                  const UnitShape&);
template void layer_norm_backward(const double*, const double*, const double*, const double*, double*, double*, double*,
                                  const UnitShape&);

}  // namespace softalign
