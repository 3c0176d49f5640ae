#include "ops/recurrent.h"

#include <ATen/Dispatch.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstdint>
#include <vector>

#include "kernels/gru.h"
#include "ops/execution.h"
#include "ops/library_layer.h"

namespace softalign {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

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
        at::Tensor recurrent_n = at::empty_like(hidden);
        at::Tensor next = at::empty_like(hidden);
        AT_DISPATCH_FLOATING_TYPES(hidden.scalar_type(), "gru gates", [&] {
            gru_forward(projected.data_ptr<scalar_t>(), recurrent.data_ptr<scalar_t>(), hidden.data_ptr<scalar_t>(),
                        gates.data_ptr<scalar_t>(), recurrent_n.data_ptr<scalar_t>(), next.data_ptr<scalar_t>(),
                        {rows, width});
        });
        context->save_for_backward({gates, recurrent_n, hidden});
        return next;
    }

    static variable_list backward(AutogradContext* context, variable_list gradients) {
        const variable_list saved = context->get_saved_variables();
        const at::Tensor& gates = saved[0];
        const at::Tensor& recurrent_n = saved[1];
        const at::Tensor& hidden = saved[2];
        const at::Tensor grad_next = gradients[0].contiguous();
        const std::int64_t rows = hidden.size(0);
        const std::int64_t width = hidden.size(1);
        at::Tensor grad_projected = at::empty_like(gates);
        at::Tensor grad_recurrent = at::empty_like(gates);
        at::Tensor grad_hidden = at::empty_like(hidden);
        AT_DISPATCH_FLOATING_TYPES(hidden.scalar_type(), "gru gates backward", [&] {
            gru_backward(gates.data_ptr<scalar_t>(), recurrent_n.data_ptr<scalar_t>(), hidden.data_ptr<scalar_t>(),
                         grad_next.data_ptr<scalar_t>(), grad_projected.data_ptr<scalar_t>(),
                         grad_recurrent.data_ptr<scalar_t>(), grad_hidden.data_ptr<scalar_t>(), {rows, width});
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
    if (has_library_form(hidden)) {
        return library_gru_gates(projected, recurrent, hidden);
    }
    return has_fused_form(hidden) ? FusedGates::apply(projected, recurrent, hidden)
                                  : gru_gates_plain(projected, recurrent, hidden);
}

}  // namespace softalign
