#include "kernels/lstm.h"

#include <cstdint>

#include "kernels/instruction_sets.h"
#include "kernels/vector_math.h"

namespace softalign {

namespace {

template <typename T>
SOFTALIGN_INLINE void forward_row(const T* __restrict projected, const T* __restrict recurrent,
                                  const T* __restrict cell, T* __restrict gates, T* __restrict next_cell,
                                  T* __restrict next, std::int64_t width) {
    for (std::int64_t j = 0; j < width; ++j) {
        const T i = vector_sigmoid(projected[j] + recurrent[j]);
        const T f = vector_sigmoid(projected[width + j] + recurrent[width + j]);
        const T g = vector_tanh(projected[2 * width + j] + recurrent[2 * width + j]);
        const T o = vector_sigmoid(projected[3 * width + j] + recurrent[3 * width + j]);
        const T c = f * cell[j] + i * g;
        gates[j] = i;
        gates[width + j] = f;
        gates[2 * width + j] = g;
        gates[3 * width + j] = o;
        next_cell[j] = c;
        next[j] = o * vector_tanh(c);
    }
}

// grad_next_cell and grad_cell may be the same array. The new cell and its tanh are computed again.
template <typename T>
SOFTALIGN_INLINE void backward_row(const T* __restrict gates, const T* __restrict cell, const T* __restrict grad_next,
                                   const T* grad_next_cell, T* __restrict grad_gates, T* grad_cell,
                                   std::int64_t width) {
    const T one = static_cast<T>(1);
    SOFTALIGN_INDEPENDENT_STEPS
    for (std::int64_t j = 0; j < width; ++j) {
        const T i = gates[j];
        const T f = gates[width + j];
        const T g = gates[2 * width + j];
        const T o = gates[3 * width + j];
        const T squashed = vector_tanh(f * cell[j] + i * g);
        const T grad = grad_next[j];
        const T grad_c = grad_next_cell[j] + grad * o * (one - squashed * squashed);
        grad_gates[j] = grad_c * g * i * (one - i);
        grad_gates[width + j] = grad_c * cell[j] * f * (one - f);
        grad_gates[2 * width + j] = grad_c * i * (one - g * g);
        grad_gates[3 * width + j] = grad * squashed * o * (one - o);
        grad_cell[j] = grad_c * f;
    }
}

}  // namespace

template <typename T>
void lstm_forward(const T* projected, const T* recurrent, const T* cell, T* gates, T* next_cell, T* next,
                  const UnitShape& shape) {
    const auto [rows, width] = shape;
    with_instructions_for<T>([=, rows = rows, width = width]() SOFTALIGN_INLINE_BODY {
        for (std::int64_t n = 0; n < rows; ++n) {
            forward_row(projected + 4 * n * width, recurrent + 4 * n * width, cell + n * width, gates + 4 * n * width,
                        next_cell + n * width, next + n * width, width);
        }
    });
}

template <typename T>
void lstm_backward(const T* gates, const T* cell, const T* grad_next, const T* grad_next_cell, T* grad_gates,
                   T* grad_cell, const UnitShape& shape) {
    const auto [rows, width] = shape;
    with_instructions_for<T>([=, rows = rows, width = width]() SOFTALIGN_INLINE_BODY {
        for (std::int64_t n = 0; n < rows; ++n) {
            backward_row(gates + 4 * n * width, cell + n * width, grad_next + n * width, grad_next_cell + n * width,
                         grad_gates + 4 * n * width, grad_cell + n * width, width);
        }
    });
}

template void lstm_forward(const float*, const float*, const float*, float*, float*, float*, const UnitShape&);
template void lstm_forward(const double*, const double*, const double*, double*, double*, double*, const UnitShape&);
template void lstm_backward(const float*, const float*, const float*, const float*, float*, float*, const UnitShape&);
template void lstm_backward(const double*, const double*, const double*, const double*, double*, double*,
                            const UnitShape&);

}  // namespace softalign
