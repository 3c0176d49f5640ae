#include <ATen/Dispatch.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/elementwise.h"
#include "ops/affine.h"
#include "ops/library_layer.h"
#include "ops/packed_weights.h"
#include "ops/recurrent.h"
#include "ops/recurrent_units.h"
#include "ops/repeated_weights.h"

namespace softalign {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The steps of a batch in the order in which a direction goes through them, and back.
class StepOrder {
public:
    StepOrder(std::vector<std::int64_t> counts, std::vector<std::int64_t> offsets, Reading direction)
        : counts_(std::move(counts)), offsets_(std::move(offsets)), backwards_(direction == Reading::backwards) {}

    explicit StepOrder(AutogradContext& context)
        : StepOrder(context.saved_data["counts"].toIntVector(), context.saved_data["offsets"].toIntVector(),
                    context.saved_data["backwards"].toBool() ? Reading::backwards : Reading::forwards) {}
    void save(AutogradContext& context) const {
        context.saved_data["counts"] = counts_;
        context.saved_data["offsets"] = offsets_;
        context.saved_data["backwards"] = backwards_;
    }

    std::int64_t steps() const { return static_cast<std::int64_t>(counts_.size()); }
    std::int64_t rows(std::int64_t i) const { return counts_[place(i)]; }
    std::int64_t offset(std::int64_t i) const { return offsets_[place(i)]; }
    // The most rows of a step.
    std::int64_t sentences() const { return counts_.front(); }
    // Rows of step i that had a step before it.
    std::int64_t old_rows(std::int64_t i) const { return i == 0 ? 0 : std::min(rows(i), rows(i - 1)); }

private:
    std::size_t place(std::int64_t i) const { return static_cast<std::size_t>(backwards_ ? steps() - 1 - i : i); }

    std::vector<std::int64_t> counts_;
    std::vector<std::int64_t> offsets_;
    bool backwards_;
};

// `state` [B,H], the first states, become the last ones.
template <template <typename> class Unit, typename T>
void run_steps(const at::Tensor& projected, const UnitWeights& weights, const StepOrder& order, PackedWeights* packed,
               const KeptUnit& kept, const at::Tensor& states, const UnitState& state) {
    const std::int64_t width = weights.weight.size(1);
    UnitSteps<Unit, T> steps(weights, Pass::forward, packed, kept, order.sentences());
    T* hidden = state.hidden.data_ptr<T>();
    T* cell = state.cell.defined() ? state.cell.data_ptr<T>() : nullptr;
    for (std::int64_t i = 0; i < order.steps(); ++i) {
        const std::int64_t rows = order.rows(i);
        const std::int64_t offset = order.offset(i);
        T* next = states.data_ptr<T>() + offset * width;
        steps.forward(offset, rows, projected.data_ptr<T>() + offset * projected.size(1), hidden, cell, next);
        std::copy_n(next, rows * width, hidden);
    }
}

// From the gradients of the states [P,H], undefined = zeros, and of the last ones in `grad`: all others in `grad`. The
// first states have one if they `have_start`.
template <template <typename> class Unit, typename T>
void run_steps_backward(const at::Tensor& grad_states, const UnitWeights& weights, const StepOrder& order,
                        bool have_start, PackedWeights* packed, const KeptUnit& kept, const UnitGradients& grad) {
    const std::int64_t width = weights.weight.size(1);
    UnitSteps<Unit, T> steps(weights, Pass::backward, packed, kept, order.sentences());
    for (std::int64_t i = order.steps() - 1; i >= 0; --i) {
        const std::int64_t rows = order.rows(i);
        const std::int64_t offset = order.offset(i);
        const StepGradients<T> of_step = grad.step<T>(offset);
        if (grad_states.defined()) {
            add_each(grad_states.data_ptr<T>() + offset * width, of_step.hidden, rows * width);
        }
        steps.backward(offset, rows, of_step);
        steps.enter(of_step, have_start ? rows : order.old_rows(i));
    }
}

// What has no gradient. The mask is in here because LibTorch takes no undefined argument.
struct Constants {
    const StepOrder& order;
    at::Tensor mask;
    PackedWeights* packed;
};

template <template <typename> class Unit>
class Sequence : public torch::autograd::Function<Sequence<Unit>> {
    static constexpr bool has_cell = Unit<float>::has_cell;

public:
    // A bias, a norm's weights and first states without elements are none. Returns the states [P,H], the last ones
    // [B,H], and an LSTM's last c [B,H].
    static variable_list forward(AutogradContext* context, const at::Tensor& projected_in, const at::Tensor& weight,
                                 const at::Tensor& bias, const at::Tensor& gain, const at::Tensor& shift,
                                 const at::Tensor& hidden, const at::Tensor& cell, const Constants& constants) {
        const at::Tensor projected = projected_in.contiguous();
        const StepOrder& order = constants.order;
        const UnitWeights weights{weight, bias, constants.mask.defined() ? constants.mask.contiguous() : constants.mask,
                                  gain.numel() > 0 ? NormWeights{gain, shift} : NormWeights()};
        const KeptUnit kept = KeptUnit::empty(projected.size(0), Unit<float>::gates, weights);
        const at::Tensor states = at::empty_like(kept.before);
        const auto first = [&](const at::Tensor& start) {
            return start.numel() > 0 ? start.clone(at::MemoryFormat::Contiguous)
                                     : at::zeros({order.sentences(), weight.size(1)}, kept.before.options());
        };
        const UnitState state{first(hidden), has_cell ? first(cell) : at::Tensor()};
        AT_DISPATCH_FLOATING_TYPES(projected.scalar_type(), "unit sequence", [&] {
            run_steps<Unit, scalar_t>(projected, weights, order, constants.packed, kept, states, state);
        });
        context->save_for_backward({weight, bias, weights.mask, weights.norm.gain, weights.norm.shift, kept.gates,
                                    kept.inner, kept.before, kept.entering, kept.norm.normalized, kept.norm.scale});
        keep_weights(*context, constants.packed);
        context->set_materialize_grads(false);
        order.save(*context);
        context->saved_data["have_start"] = hidden.numel() > 0;
        variable_list result{states, state.hidden};
        if (has_cell) {
            result.push_back(state.cell);
        }
        return result;
    }

    static variable_list backward(AutogradContext* context, variable_list gradients) {
        const variable_list saved = context->get_saved_variables();
        const UnitWeights weights{saved[0], saved[1], saved[2], {saved[3], saved[4]}};
        const KeptUnit kept{saved[5], saved[6], saved[7], saved[8], {saved[9], saved[10]}};
        PackedWeights* const packed = kept_weights(*context);
        const StepOrder order(*context);
        const bool have_start = context->saved_data["have_start"].toBool();
        const at::Tensor grad_states = gradients[0].defined() ? gradients[0].contiguous() : at::Tensor();
        const auto carried = [&](const at::Tensor& gradient) {
            return gradient.defined() ? gradient.clone(at::MemoryFormat::Contiguous)
                                      : at::zeros({order.sentences(), weights.weight.size(1)}, kept.before.options());
        };
        const UnitGradients grad =
            UnitGradients::empty<Unit>(kept, carried(gradients[1]), has_cell ? carried(gradients[2]) : at::Tensor());
        AT_DISPATCH_FLOATING_TYPES(kept.before.scalar_type(), "unit sequence backward", [&] {
            run_steps_backward<Unit, scalar_t>(grad_states, weights, order, have_start, packed, kept, grad);
        });
        const at::Tensor grad_weight = Unit<float>::weight_gradient(weights.weight, grad.recurrent, kept, packed);
        const NormWeights grad_norm = deposit(weights.norm, grad.norm);
        return {grad.projected,
                grad_weight,
                bias_gradient(weights.bias, grad),
                grad_norm.gain,
                grad_norm.shift,
                have_start ? grad.hidden : at::Tensor(),
                have_start ? grad.cell : at::Tensor(),
                at::Tensor()};
    }
};

SequenceStates run_sequence(const UnitSequence& given, const StepOrder& order, const Execution& execution) {
    const at::Tensor& projected = given.projected;
    const variable_list result = with_unit(given.type, [&](auto unit) {
        return Sequence<decltype(unit)::template Of>::apply(
            projected, given.weights.weight, or_no_elements(given.weights.bias, projected),
            or_no_elements(given.weights.norm.gain, projected), or_no_elements(given.weights.norm.shift, projected),
            or_no_elements(given.start.hidden, projected), or_no_elements(given.start.cell, projected),
            Constants{order, given.weights.mask, execution.weights});
    });
    return {result[0], {result[1], result.size() > 2 ? result[2] : at::Tensor()}};
}

at::Tensor cho_step_plain(const at::Tensor& projected, const UnitWeights& weights, const at::Tensor& hidden,
                          const Execution& execution) {
    const std::int64_t size = hidden.size(1);
    const at::Tensor entering = masked(hidden, weights.mask);
    const at::Tensor gates =
        (projected.narrow(1, 0, 2 * size) + affine(entering, weights.weight.narrow(0, 0, 2 * size), execution))
            .sigmoid();
    const at::Tensor reset = gates.narrow(1, 0, size);
    const at::Tensor update = gates.narrow(1, size, size);
    const at::Tensor candidate = (projected.narrow(1, 2 * size, size) +
                                  affine(reset * entering, weights.weight.narrow(0, 2 * size, size), execution))
                                     .tanh();
    return at::lerp(hidden, candidate, update);
}

}  // namespace

UnitState unit_step_plain(UnitType type, const at::Tensor& projected, const UnitWeights& weights,
                          const UnitState& state, const Execution& execution) {
    if (type == UnitType::gru_cho) {
        return {cho_step_plain(projected, weights, state.hidden, execution), at::Tensor()};
    }
    at::Tensor recurrent = affine(masked(state.hidden, weights.mask), weights.weight, weights.bias, execution);
    if (weights.norm.gain.defined()) {
        recurrent = at::layer_norm(recurrent, weights.norm.gain.sizes(), weights.norm.gain, weights.norm.shift);
    }
    if (type == UnitType::gru) {
        return {gru_gates_plain(projected, recurrent, state.hidden), at::Tensor()};
    }
    const std::vector<at::Tensor> gates = (projected + recurrent).chunk(4, 1);
    const at::Tensor cell = gates[1].sigmoid() * state.cell + gates[0].sigmoid() * gates[2].tanh();
    return {gates[3].sigmoid() * cell.tanh(), cell};
}

UnitState unit_step(UnitType type, const at::Tensor& projected, const UnitWeights& weights, const UnitState& state,
                    const Execution& execution) {
    if (has_library_form(projected) && type == UnitType::lstm) {
        return library_lstm_gates(
            projected, affine(masked(state.hidden, weights.mask), weights.weight, weights.bias, execution), state.cell);
    }
    if (!has_fused_form(projected)) {
        return unit_step_plain(type, projected, weights, state, execution);
    }
    UnitWeights used = weights;
    used.weight = execution.repeated != nullptr ? execution.repeated->of(weights.weight) : weights.weight;
    return run_sequence({type, projected, used, state}, StepOrder({projected.size(0)}, {0}, Reading::forwards),
                        execution)
        .last;
}

SequenceStates unit_sequence(const UnitSequence& sequence, const PackedRows& rows, Reading direction,
                             const Execution& execution) {
    return run_sequence(sequence, StepOrder(rows.counts, rows.offsets, direction), execution);
}

}  // namespace softalign
