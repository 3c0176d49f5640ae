#include "model/gru_gates.h"

#include <ATen/Dispatch.h>
#include <torch/csrc/autograd/custom_function.h>

#include "model/vector_math.h"

namespace softalign {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// One row forward. projected, recurrent [3H]; hidden [H]; writes gates r, z, n [3H] and the new state [H].
template <typename T>
inline void forward_row(const T* __restrict projected, const T* __restrict recurrent, const T* __restrict hidden,
                        T* __restrict gates, T* __restrict next, std::int64_t width) {
    for (std::int64_t i = 0; i < width; ++i) {
        const T r = vector_sigmoid(projected[i] + recurrent[i]);
        const T z = vector_sigmoid(projected[width + i] + recurrent[width + i]);
        const T n = vector_tanh(projected[2 * width + i] + r * recurrent[2 * width + i]);
        gates[i] = r;
        gates[width + i] = z;
        gates[2 * width + i] = n;
        next[i] = n + z * (hidden[i] - n);
    }
}

// One row backward. gates [3H], recurrent_n [H] (the last third of U h + d), hidden, grad_next [H].
template <typename T>
inline void backward_row(const T* __restrict gates, const T* __restrict recurrent_n, const T* __restrict hidden,
                         const T* __restrict grad_next, T* __restrict grad_projected, T* __restrict grad_recurrent,
                         T* __restrict grad_hidden, std::int64_t width) {
    const T one = static_cast<T>(1);
    for (std::int64_t i = 0; i < width; ++i) {
        const T r = gates[i];
        const T z = gates[width + i];
        const T n = gates[2 * width + i];
        const T grad_n = grad_next[i] * (one - z) * (one - n * n);  // before the tanh
        const T grad_z = grad_next[i] * (hidden[i] - n) * z * (one - z);
        const T grad_r = grad_n * recurrent_n[i] * r * (one - r);
        grad_projected[i] = grad_r;
        grad_projected[width + i] = grad_z;
        grad_projected[2 * width + i] = grad_n;
        grad_recurrent[i] = grad_r;
        grad_recurrent[width + i] = grad_z;
        grad_recurrent[2 * width + i] = grad_n * r;
        grad_hidden[i] = grad_next[i] * z;
    }
}

// Multiversioned functions can be no templates: one of each for a type.
#define SOFTALIGN_DEFINE_GATES(T)                                                                                      \
    SOFTALIGN_MULTIVERSION void forward_rows(const T* projected, const T* recurrent, const T* hidden, T* gates,        \
                                             T* next, std::int64_t rows, std::int64_t width) {                         \
        for (std::int64_t i = 0; i < rows; ++i) {                                                                      \
            forward_row(projected + 3 * i * width, recurrent + 3 * i * width, hidden + i * width,                      \
                        gates + 3 * i * width, next + i * width, width);                                               \
        }                                                                                                              \
    }                                                                                                                  \
    SOFTALIGN_MULTIVERSION void backward_rows(const T* gates, const T* recurrent, const T* hidden, const T* grad_next, \
                                              T* grad_projected, T* grad_recurrent, T* grad_hidden, std::int64_t rows, \
                                              std::int64_t width) {                                                    \
        for (std::int64_t i = 0; i < rows; ++i) {                                                                      \
            backward_row(gates + 3 * i * width, recurrent + 3 * i * width + 2 * width, hidden + i * width,             \
                         grad_next + i * width, grad_projected + 3 * i * width, grad_recurrent + 3 * i * width,        \
                         grad_hidden + i * width, width);                                                              \
        }                                                                                                              \
    }

SOFTALIGN_DEFINE_GATES(float)
SOFTALIGN_DEFINE_GATES(double)
#undef SOFTALIGN_DEFINE_GATES

class FusedGates : public torch::autograd::Function<FusedGates> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& projected_in, const at::Tensor& recurrent_in,
                              const at::Tensor& hidden_in) {
        const at::Tensor projected = projected_in.contiguous();
        const at::Tensor recurrent = recurrent_in.contiguous();
        const at::Tensor hidden = hidden_in.contiguous();
        const std::int64_t rows = hidden.size(0);
        const std::int64_t width = hidden.size(1);
        at::Tensor gates = at::empty_like(projected);
        at::Tensor next = at::empty_like(hidden);
        AT_DISPATCH_FLOATING_TYPES(hidden.scalar_type(), "gru gates", [&] {
            forward_rows(projected.data_ptr<scalar_t>(), recurrent.data_ptr<scalar_t>(), hidden.data_ptr<scalar_t>(),
                         gates.data_ptr<scalar_t>(), next.data_ptr<scalar_t>(), rows, width);
        });
        context->save_for_backward({gates, recurrent, hidden});
        return next;
    }

    static variable_list backward(AutogradContext* context, variable_list gradients) {
        const variable_list saved = context->get_saved_variables();
        const at::Tensor& gates = saved[0];
        const at::Tensor& recurrent = saved[1];
        const at::Tensor& hidden = saved[2];
        const at::Tensor grad_next = gradients[0].contiguous();
        const std::int64_t rows = hidden.size(0);
        const std::int64_t width = hidden.size(1);
        at::Tensor grad_projected = at::empty_like(gates);
        at::Tensor grad_recurrent = at::empty_like(gates);
        at::Tensor grad_hidden = at::empty_like(hidden);
        AT_DISPATCH_FLOATING_TYPES(hidden.scalar_type(), "gru gates backward", [&] {
            backward_rows(gates.data_ptr<scalar_t>(), recurrent.data_ptr<scalar_t>(), hidden.data_ptr<scalar_t>(),
                          grad_next.data_ptr<scalar_t>(), grad_projected.data_ptr<scalar_t>(),
                          grad_recurrent.data_ptr<scalar_t>(), grad_hidden.data_ptr<scalar_t>(), rows, width);
        });
        return {grad_projected, grad_recurrent, grad_hidden};
    }
};

}  // namespace

at::Tensor gru_gates_plain(const at::Tensor& projected, const at::Tensor& recurrent, const at::Tensor& hidden) {
    const std::vector<at::Tensor> p = projected.chunk(3, 1);
    const std::vector<at::Tensor> u = recurrent.chunk(3, 1);
    const at::Tensor r = (p[0] + u[0]).sigmoid();
    const at::Tensor z = (p[1] + u[1]).sigmoid();
    const at::Tensor n = (p[2] + r * u[2]).tanh();
    return n + z * (hidden - n);
}

at::Tensor gru_gates(const at::Tensor& projected, const at::Tensor& recurrent, const at::Tensor& hidden) {
    const bool by_hand =
        hidden.device().is_cpu() && (hidden.scalar_type() == at::kFloat || hidden.scalar_type() == at::kDouble);
    return by_hand ? FusedGates::apply(projected, recurrent, hidden) : gru_gates_plain(projected, recurrent, hidden);
}

}  // namespace softalign
