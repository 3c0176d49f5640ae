#include "kernels/gru.h"

#include <cstdint>

#include "kernels/instruction_sets.h"
#include "kernels/vector_math.h"

namespace softalign {

namespace {

template <typename T>
SOFTALIGN_INLINE void forward_row(const T* __restrict projected, const T* __restrict recurrent,
                                  const T* __restrict hidden, T* __restrict gates, T* __restrict recurrent_n,
                                  T* __restrict next, std::int64_t width) {
    for (std::int64_t i = 0; i < width; ++i) {
        const T r = vector_sigmoid(projected[i] + recurrent[i]);
        const T z = vector_sigmoid(projected[width + i] + recurrent[width + i]);
        const T u = recurrent[2 * width + i];
        const T n = vector_tanh(projected[2 * width + i] + r * u);
        gates[i] = r;
        gates[width + i] = z;
        gates[2 * width + i] = n;
        recurrent_n[i] = u;
        next[i] = n + z * (hidden[i] - n);
    }
}

// grad_next and grad_hidden may be the same array.
template <typename T>
SOFTALIGN_INLINE void backward_row(const T* __restrict gates, const T* __restrict recurrent_n,
                                   const T* __restrict hidden, const T* grad_next, T* __restrict grad_projected,
                                   T* __restrict grad_recurrent, T* grad_hidden, std::int64_t width) {
    const T one = static_cast<T>(1);
    SOFTALIGN_INDEPENDENT_STEPS
    for (std::int64_t i = 0; i < width; ++i) {
        const T r = gates[i];
        const T z = gates[width + i];
        const T n = gates[2 * width + i];
        const T grad = grad_next[i];
        const T grad_n = grad * (one - z) * (one - n * n);  // before the tanh
        const T grad_z = grad * (hidden[i] - n) * z * (one - z);
        const T grad_r = grad_n * recurrent_n[i] * r * (one - r);
        grad_projected[i] = grad_r;
        grad_projected[width + i] = grad_z;
        grad_projected[2 * width + i] = grad_n;
        grad_recurrent[i] = grad_r;
        grad_recurrent[width + i] = grad_z;
        grad_recurrent[2 * width + i] = grad_n * r;
        grad_hidden[i] = grad * z;
    }
}

}  // namespace

template <typename T>
void gru_forward(const T* projected, const T* recurrent, const T* hidden, T* gates, T* recurrent_n, T* next,
                 const UnitShape& shape) {
    const auto [rows, width] = shape;
    with_instructions_for<T>([=, rows = rows, width = width]() SOFTALIGN_INLINE_BODY {
        for (std::int64_t i = 0; i < rows; ++i) {
            forward_row(projected + 3 * i * width, recurrent + 3 * i * width, hidden + i * width, gates + 3 * i * width,
                        recurrent_n + i * width, next + i * width, width);
        }
    });
}

template <typename T>
void gru_backward(const T* gates, const T* recurrent_n, const T* hidden, const T* grad_next, T* grad_projected,
                  T* grad_recurrent, T* grad_hidden, const UnitShape& shape) {
    const auto [rows, width] = shape;
    with_instructions_for<T>([=, rows = rows, width = width]() SOFTALIGN_INLINE_BODY {
        for (std::int64_t i = 0; i < rows; ++i) {
            backward_row(gates + 3 * i * width, recurrent_n + i * width, hidden + i * width, grad_next + i * width,
                         grad_projected + 3 * i * width, grad_recurrent + 3 * i * width, grad_hidden + i * width,
                         width);
        }
    });
}

template void gru_forward(const float*, const float*, const float*, float*, float*, float*, const UnitShape&);
template void gru_forward(const double*, const double*, const double*, double*, double*, double*, const UnitShape&);
template void gru_backward(const float*, const float*, const float*, const float*, float*, float*, float*,
                           const UnitShape&);
template void gru_backward(const double*, const double*, const double*, const double*, double*, double*, double*,
                           const UnitShape&);

}  // namespace softalign
