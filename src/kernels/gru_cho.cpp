#include "kernels/gru_cho.h"

#include <cstdint>

#include "kernels/instruction_sets.h"
#include "kernels/vector_math.h"

namespace softalign {

namespace {

template <typename T>
SOFTALIGN_INLINE void reset_row(const T* __restrict projected, const T* __restrict recurrent,
                                const T* __restrict entering, T* __restrict gates, T* __restrict reset,
                                std::int64_t width) {
    for (std::int64_t i = 0; i < width; ++i) {
        const T r = vector_sigmoid(projected[i] + recurrent[i]);
        gates[i] = r;
        gates[width + i] = vector_sigmoid(projected[width + i] + recurrent[width + i]);
        reset[i] = r * entering[i];
    }
}

template <typename T>
SOFTALIGN_INLINE void update_row(const T* __restrict projected, const T* __restrict recurrent_n,
                                 const T* __restrict hidden, T* __restrict gates, T* __restrict next,
                                 std::int64_t width) {
    SOFTALIGN_INDEPENDENT_STEPS
    for (std::int64_t i = 0; i < width; ++i) {
        const T n = vector_tanh(projected[2 * width + i] + recurrent_n[i]);
        gates[2 * width + i] = n;
        next[i] = hidden[i] + gates[width + i] * (n - hidden[i]);
    }
}

// grad_next and grad_hidden may be the same array.
template <typename T>
SOFTALIGN_INLINE void update_row_backward(const T* __restrict gates, const T* __restrict hidden, const T* grad_next,
                                          T* __restrict grad_gates, T* grad_hidden, std::int64_t width) {
    const T one = static_cast<T>(1);
    SOFTALIGN_INDEPENDENT_STEPS
    for (std::int64_t i = 0; i < width; ++i) {
        const T z = gates[width + i];
        const T n = gates[2 * width + i];
        const T grad = grad_next[i];
        grad_gates[width + i] = grad * (n - hidden[i]) * z * (one - z);
        grad_gates[2 * width + i] = grad * z * (one - n * n);
        grad_hidden[i] = grad * (one - z);
    }
}

// grad_reset and grad_entering may be the same array.
template <typename T>
SOFTALIGN_INLINE void reset_row_backward(const T* __restrict gates, const T* __restrict entering, const T* grad_reset,
                                         T* __restrict grad_gates, T* grad_entering, std::int64_t width) {
    const T one = static_cast<T>(1);
    SOFTALIGN_INDEPENDENT_STEPS
    for (std::int64_t i = 0; i < width; ++i) {
        const T r = gates[i];
        const T grad = grad_reset[i];
        grad_gates[i] = grad * entering[i] * r * (one - r);
        grad_entering[i] = grad * r;
    }
}

}  // namespace

template <typename T>
void cho_reset_forward(const T* projected, const T* recurrent, const T* entering, T* gates, T* reset,
                       const UnitShape& shape) {
    const auto [rows, width] = shape;
    with_instructions_for<T>([=, rows = rows, width = width]() SOFTALIGN_INLINE_BODY {
        for (std::int64_t n = 0; n < rows; ++n) {
            reset_row(projected + 3 * n * width, recurrent + 2 * n * width, entering + n * width, gates + 3 * n * width,
                      reset + n * width, width);
        }
    });
}

template <typename T>
void cho_update_forward(const T* projected, const T* recurrent_n, const T* hidden, T* gates, T* next,
                        const UnitShape& shape) {
    const auto [rows, width] = shape;
    with_instructions_for<T>([=, rows = rows, width = width]() SOFTALIGN_INLINE_BODY {
        for (std::int64_t n = 0; n < rows; ++n) {
            update_row(projected + 3 * n * width, recurrent_n + n * width, hidden + n * width, gates + 3 * n * width,
                       next + n * width, width);
        }
    });
}

template <typename T>
void cho_update_backward(const T* gates, const T* hidden, const T* grad_next, T* grad_gates, T* grad_hidden,
                         const UnitShape& shape) {
    const auto [rows, width] = shape;
    with_instructions_for<T>([=, rows = rows, width = width]() SOFTALIGN_INLINE_BODY {
        for (std::int64_t n = 0; n < rows; ++n) {
            update_row_backward(gates + 3 * n * width, hidden + n * width, grad_next + n * width,
                                grad_gates + 3 * n * width, grad_hidden + n * width, width);
        }
    });
}

template <typename T>
void cho_reset_backward(const T* gates, const T* entering, const T* grad_reset, T* grad_gates, T* grad_entering,
                        const UnitShape& shape) {
    const auto [rows, width] = shape;
    with_instructions_for<T>([=, rows = rows, width = width]() SOFTALIGN_INLINE_BODY {
        for (std::int64_t n = 0; n < rows; ++n) {
            reset_row_backward(gates + 3 * n * width, entering + n * width, grad_reset + n * width,
                               grad_gates + 3 * n * width, grad_entering + n * width, width);
        }
    });
}

template void cho_reset_forward(const float*, const float*, const float*, float*, float*, const UnitShape&);
template void cho_reset_forward(const double*, const double*, const double*, double*, double*, const UnitShape&);
template void cho_update_forward(const float*, const float*, const float*, float*, float*, const UnitShape&);
template void cho_update_forward(const double*, const double*, const double*, double*, double*, const UnitShape&);
template void cho_update_backward(const float*, const float*, const float*, float*, float*, const UnitShape&);
template void cho_update_backward(const double*, const double*, const double*, double*, double*, const UnitShape&);
template void cho_reset_backward(const float*, const float*, const float*, float*, float*, const UnitShape&);
template void cho_reset_backward(const double*, const double*, const double*, double*, double*, const UnitShape&);

}  // namespace softalign
