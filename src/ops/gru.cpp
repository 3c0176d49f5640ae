#include "ops/recurrent.h"

#include <ATen/Dispatch.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/elementwise.h"
#include "kernels/gru.h"
#include "ops/affine.h"
#include "ops/packed_weights.h"

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

// The steps of a batch in the order in which a direction goes through them, and back.
class StepOrder {
public:
    StepOrder(const PackedRows& rows, Reading direction)
        : counts_(rows.counts), offsets_(rows.offsets), backwards_(direction == Reading::backwards) {}

    std::int64_t steps() const { return static_cast<std::int64_t>(counts_.size()); }
    std::int64_t rows(std::int64_t i) const { return counts_[place(i)]; }
    std::int64_t offset(std::int64_t i) const { return offsets_[place(i)]; }
    // Rows of step i that had a step before it.
    std::int64_t old_rows(std::int64_t i) const { return i == 0 ? 0 : std::min(rows(i), rows(i - 1)); }

private:
    std::size_t place(std::int64_t i) const { return static_cast<std::size_t>(backwards_ ? steps() - 1 - i : i); }

    std::vector<std::int64_t> counts_;
    std::vector<std::int64_t> offsets_;
    bool backwards_;
};

// What the forward pass leaves for the backward one.
struct KeptSequence {
    at::Tensor gates;        // [P,3H] r, z, n
    at::Tensor recurrent_n;  // [P,H]
    at::Tensor before;       // [P,H] the state before each step
    at::Tensor entering;     // [P,H] that state times the mask; undefined without one
};

template <typename T>
void run_forward(const at::Tensor& projected, const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& mask,
                 const StepOrder& order, PackedWeights* packed, KeptSequence& kept, at::Tensor& states,
                 at::Tensor& last) {
    const std::int64_t width = weight.size(1);
    const RepeatedProduct<T> product(weight, Pass::forward, packed);
    at::Tensor recurrent = at::empty({last.size(0), 3 * width}, projected.options());
    T* u = recurrent.data_ptr<T>();
    T* current = last.data_ptr<T>();  // [B,H]
    for (std::int64_t i = 0; i < order.steps(); ++i) {
        const std::int64_t rows = order.rows(i);
        const std::int64_t offset = order.offset(i);
        T* before = kept.before.data_ptr<T>() + offset * width;
        std::copy_n(current, rows * width, before);
        const T* entering = before;
        if (mask.defined()) {
            T* masked = kept.entering.data_ptr<T>() + offset * width;
            multiply_each(before, mask.data_ptr<T>(), masked, rows * width);
            entering = masked;
        }
        product(entering, rows, u, Start::bias, bias.data_ptr<T>());
        T* next = states.data_ptr<T>() + offset * width;
        gru_forward(projected.data_ptr<T>() + offset * 3 * width, u, before,
                    kept.gates.data_ptr<T>() + offset * 3 * width, kept.recurrent_n.data_ptr<T>() + offset * width,
                    next, {rows, width});
        std::copy_n(next, rows * width, current);
    }
}

// From the gradients of the states [P,H] and of the last ones [B,H], which is used up: those of projected and of
// U h + d, both [P,3H].
template <typename T>
void run_backward(const at::Tensor& grad_states, const at::Tensor& weight, const at::Tensor& mask,
                  const StepOrder& order, PackedWeights* packed, const KeptSequence& kept, at::Tensor& carry,
                  at::Tensor& grad_projected, at::Tensor& grad_recurrent) {
    const std::int64_t width = weight.size(1);
    const RepeatedProduct<T> product(weight, Pass::backward, packed);
    at::Tensor through = at::empty_like(carry);
    T* grad = carry.data_ptr<T>();
    for (std::int64_t i = order.steps() - 1; i >= 0; --i) {
        const std::int64_t rows = order.rows(i);
        const std::int64_t offset = order.offset(i);
        add_each(grad_states.data_ptr<T>() + offset * width, grad, rows * width);
        T* of_recurrent = grad_recurrent.data_ptr<T>() + offset * 3 * width;
        gru_backward(kept.gates.data_ptr<T>() + offset * 3 * width, kept.recurrent_n.data_ptr<T>() + offset * width,
                     kept.before.data_ptr<T>() + offset * width, grad,
                     grad_projected.data_ptr<T>() + offset * 3 * width, of_recurrent, grad, {rows, width});
        const std::int64_t old_rows = order.old_rows(i);  // the others began with zeros
        if (mask.defined()) {
            T* masked = through.data_ptr<T>();
            product(of_recurrent, old_rows, masked, Start::zero);
            add_products(masked, mask.data_ptr<T>(), grad, old_rows * width);
        } else {
            product(of_recurrent, old_rows, grad, Start::present);
        }
    }
}

// What has no gradient. The mask is in here because LibTorch takes no undefined argument.
struct Constants {
    const PackedRows& rows;
    Reading direction;
    at::Tensor mask;
    PackedWeights* packed;
};

class GruSequence : public torch::autograd::Function<GruSequence> {
public:
    static variable_list forward(AutogradContext* context, const at::Tensor& projected_in, const at::Tensor& weight,
                                 const at::Tensor& bias, const Constants& constants) {
        const at::Tensor projected = projected_in.contiguous();
        const at::Tensor mask = constants.mask.defined() ? constants.mask.contiguous() : constants.mask;
        const PackedRows& rows = constants.rows;
        const std::int64_t width = weight.size(1);
        const auto empty = [&](std::int64_t columns) {
            return at::empty({projected.size(0), columns}, projected.options());
        };
        KeptSequence kept{empty(3 * width), empty(width), empty(width), mask.defined() ? empty(width) : at::Tensor()};
        at::Tensor states = empty(width);
        at::Tensor last = at::zeros({rows.sentences(), width}, projected.options());
        AT_DISPATCH_FLOATING_TYPES(projected.scalar_type(), "gru sequence", [&] {
            run_forward<scalar_t>(projected, weight, bias, mask, StepOrder(rows, constants.direction), constants.packed,
                                  kept, states, last);
        });
        context->save_for_backward({weight, bias, mask, kept.gates, kept.recurrent_n, kept.before, kept.entering});
        keep_weights(*context, constants.packed);
        context->saved_data["counts"] = rows.counts;
        context->saved_data["offsets"] = rows.offsets;
        context->saved_data["backwards"] = constants.direction == Reading::backwards;
        return {states, last};
    }

    static variable_list backward(AutogradContext* context, variable_list gradients) {
        const variable_list saved = context->get_saved_variables();
        const at::Tensor& weight = saved[0];
        const at::Tensor& bias = saved[1];
        const at::Tensor& mask = saved[2];
        const KeptSequence kept{saved[3], saved[4], saved[5], saved[6]};
        PackedWeights* const packed = kept_weights(*context);
        PackedRows rows;
        rows.counts = context->saved_data["counts"].toIntVector();
        rows.offsets = context->saved_data["offsets"].toIntVector();
        const Reading direction = context->saved_data["backwards"].toBool() ? Reading::backwards : Reading::forwards;
        const at::Tensor grad_states = gradients[0].defined() ? gradients[0].contiguous() : at::zeros_like(kept.before);
        at::Tensor carry = gradients[1].defined() ? gradients[1].contiguous().clone()
                                                  : at::zeros({rows.counts.front(), weight.size(1)}, weight.options());
        at::Tensor grad_projected = at::empty_like(kept.gates);
        at::Tensor grad_recurrent = at::empty_like(kept.gates);
        AT_DISPATCH_FLOATING_TYPES(carry.scalar_type(), "gru sequence backward", [&] {
            run_backward<scalar_t>(grad_states, weight, mask, StepOrder(rows, direction), packed, kept, carry,
                                   grad_projected, grad_recurrent);
        });
        const at::Tensor& entering = mask.defined() ? kept.entering : kept.before;
        const at::Tensor grad_weight = deposit_product(weight, grad_recurrent, entering, packed);
        return {grad_projected, grad_weight, deposit(bias, grad_recurrent.sum(0)), at::Tensor()};
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
    return has_fused_form(hidden) ? FusedGates::apply(projected, recurrent, hidden)
                                  : gru_gates_plain(projected, recurrent, hidden);
}

SequenceStates gru_sequence(const at::Tensor& projected, const at::Tensor& weight, const at::Tensor& bias,
                            const at::Tensor& mask, const PackedRows& rows, Reading direction,
                            const Execution& execution) {
    const variable_list result =
        GruSequence::apply(projected, weight, bias, Constants{rows, direction, mask, execution.weights});
    return {result[0], result[1]};
}

}  // namespace softalign
