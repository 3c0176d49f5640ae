// Recurrent decoders with additive attention on devices. There, starting an operation costs more than its work for the
// few rows of a step: the loops over steps are made of as few as LibTorch allows and leave no graph for autograd, and
// what steps share has its gradient from one operation over all of them.
#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "ops/additive_decoder.h"
#include "ops/affine.h"
#include "ops/packed_rows.h"
#include "ops/packed_weights.h"
#include "ops/to_device.h"

namespace softalign {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Of one step of a unit.
struct KeptUnitStep {
    at::Tensor before;    // [N,H] h
    at::Tensor entering;  // [N,H] that times the mask
    at::Tensor cell;      // [N,H] c before and after the step; LSTM only
    at::Tensor next_cell;
    at::Tensor workspace;  // what LibTorch's backward pass reads
};

struct KeptStep {
    KeptUnitStep first;  // of f1, where there is one
    KeptUnitStep unit;   // `before` is what attention reads
    at::Tensor queries;  // [N,A]
    at::Tensor weights;  // [N,S]
    at::Tensor context;  // [N,C]
};

// Of all steps, and what has no gradient.
struct KeptRun : torch::CustomClassHolder {
    UnitType type = UnitType::gru;
    PackedRows rows;
    at::Tensor padding;  // [B,S] minus infinity there, else 0; this and the next three in the order of the rows
    at::Tensor drop;     // [B,H] of the state that enters U; undefined = none
    at::Tensor keys;     // [B,S,A]
    at::Tensor values;   // [B,S,C]
    std::vector<KeptStep> steps;
};

constexpr const char* kept_key = "steps";

UnitState unit_forward(UnitType type, const at::Tensor& input, const UnitWeights& weights, const UnitState& state,
                       const at::Tensor& drop, KeptUnitStep& kept) {
    kept.before = state.hidden;
    kept.entering = drop.defined() ? state.hidden * drop : state.hidden;
    const at::Tensor recurrent = at::addmm(weights.bias, kept.entering, weights.weight.t());
    UnitState next;
    if (type == UnitType::lstm) {
        kept.cell = state.cell;
        std::tie(next.hidden, next.cell, kept.workspace) = at::_thnn_fused_lstm_cell(input, recurrent, state.cell);
        kept.next_cell = next.cell;
    } else {
        std::tie(next.hidden, kept.workspace) = at::_thnn_fused_gru_cell(input, recurrent, state.hidden);
    }
    return next;
}

// [N,G*H] of W x + b and of U h + d.
struct UnitStepGradients {
    at::Tensor input;
    at::Tensor recurrent;
};

// `state` is of the state after the step, then of that before it.
UnitStepGradients unit_backward(UnitType type, const UnitWeights& weights, const KeptUnitStep& kept,
                                const at::Tensor& drop, UnitState& state) {
    UnitStepGradients grad;
    at::Tensor direct;
    if (type == UnitType::lstm) {
        const auto result = at::_thnn_fused_lstm_cell_backward(state.hidden, state.cell, kept.cell, kept.next_cell,
                                                               kept.workspace, /*has_bias=*/false);
        grad.input = grad.recurrent = std::get<0>(result);
        state.cell = std::get<2>(result);
    } else {
        const auto result = at::_thnn_fused_gru_cell_backward(state.hidden, kept.workspace, /*has_bias=*/false);
        grad.input = std::get<0>(result);
        grad.recurrent = std::get<1>(result);
        direct = std::get<2>(result);
    }
    if (drop.defined()) {
        const at::Tensor through = at::mm(grad.recurrent, weights.weight);
        state.hidden = direct.defined() ? at::addcmul(direct, through, drop) : through * drop;
    } else {
        state.hidden = direct.defined() ? at::addmm(direct, grad.recurrent, weights.weight)
                                        : at::mm(grad.recurrent, weights.weight);
    }
    return grad;
}

// tanh(q + k): [N,S,A]. Computed again in the backward pass.
at::Tensor hidden_layer(const at::Tensor& queries, const at::Tensor& keys) {
    return (queries.unsqueeze(1) + keys).tanh_();
}

// With zeros for the rows that join.
at::Tensor grown(const at::Tensor& x, std::int64_t rows) {
    return x.defined() && x.size(0) < rows ? at::constant_pad_nd(x, {0, 0, 0, rows - x.size(0)}) : x;
}

std::vector<at::Tensor> run_forward(const AdditiveDecoder& given, UnitState state, KeptRun& kept) {
    const bool conditional = given.is_conditional();
    const at::Tensor score = given.score.view({-1});
    std::vector<at::Tensor> states;
    for (std::size_t t = 0; t < kept.rows.counts.size(); ++t) {
        const std::int64_t count = kept.rows.counts[t];
        const at::Tensor drop = first_rows(kept.drop, count);
        const at::Tensor word = given.projected.narrow(0, kept.rows.offsets[t], count);
        kept.steps.emplace_back();
        KeptStep& step = kept.steps.back();
        state = {first_rows(state.hidden, count), first_rows(state.cell, count)};
        if (conditional) {
            state = unit_forward(kept.type, word, given.first, state, drop, step.first);
        }
        step.queries = at::mm(state.hidden, given.query.t());
        const at::Tensor hidden = hidden_layer(step.queries, first_rows(kept.keys, count));
        const at::Tensor scores =
            at::addmv(first_rows(kept.padding, count).view({-1}), hidden.view({-1, hidden.size(2)}), score);
        step.weights = scores.view({hidden.size(0), hidden.size(1)}).softmax(1);
        step.context = at::bmm(step.weights.unsqueeze(1), first_rows(kept.values, count)).squeeze(1);
        const at::Tensor input = at::addmm(conditional ? given.bias : word, step.context, given.context.t());
        state = unit_forward(kept.type, input, given.unit, state, drop, step.unit);
        states.push_back(state.hidden);
    }
    return states;
}

// The gradients of the steps, the first step first.
struct StepGradients {
    std::vector<at::Tensor> inputs;  // of f, or f2
    std::vector<at::Tensor> recurrent;
    std::vector<at::Tensor> first_inputs;  // of f1
    std::vector<at::Tensor> first_recurrent;
    std::vector<at::Tensor> queries;
    std::vector<at::Tensor> contexts;
    at::Tensor keys;  // the sums over the steps, in the order of the rows
    at::Tensor score;
    UnitState start;
};

// The attention of one step backwards: the gradient of the queries from that of the context.
at::Tensor look_backward(const KeptRun& kept, const KeptStep& step, const at::Tensor& score,
                         const at::Tensor& grad_context, const at::Tensor& grad_weights, const StepGradients& sums) {
    const std::int64_t count = step.weights.size(0);
    at::Tensor of_weights = at::bmm(first_rows(kept.values, count), grad_context.unsqueeze(2)).squeeze(2);
    if (grad_weights.defined()) {
        of_weights.add_(grad_weights);
    }
    const at::Tensor of_scores = at::_softmax_backward_data(of_weights, step.weights, 1, of_weights.scalar_type());
    const at::Tensor hidden = hidden_layer(step.queries, first_rows(kept.keys, count));
    sums.score.addmv_(hidden.view({-1, hidden.size(2)}).t(), of_scores.view({-1}));
    const at::Tensor of_sum = at::tanh_backward(of_scores.unsqueeze(2) * score, hidden);
    first_rows(sums.keys, count).add_(of_sum);
    return of_sum.sum(1);
}

StepGradients run_backward(const AdditiveDecoder& given, const KeptRun& kept, const variable_list& gradients) {
    const bool conditional = given.is_conditional();
    const at::Tensor score = given.score.view({-1});
    const std::size_t count_of_steps = kept.steps.size();
    StepGradients grad;
    for (std::vector<at::Tensor>* x :
         {&grad.inputs, &grad.recurrent, &grad.first_inputs, &grad.first_recurrent, &grad.queries, &grad.contexts}) {
        x->resize(count_of_steps);
    }
    grad.keys = at::zeros_like(kept.keys);
    grad.score = at::zeros_like(score);
    UnitState state;
    for (std::size_t t = count_of_steps; t-- > 0;) {
        const KeptStep& step = kept.steps[t];
        const std::int64_t count = kept.rows.counts[t];
        const at::Tensor drop = first_rows(kept.drop, count);
        const auto of_step = [&](const at::Tensor& x) {
            return x.defined() ? x.narrow(0, kept.rows.offsets[t], count) : x;
        };
        const at::Tensor above = of_step(gradients[0]);
        state = {grown(state.hidden, count), grown(state.cell, count)};
        state.hidden = state.hidden.defined() ? state.hidden + above : above;
        const UnitStepGradients of_unit = unit_backward(kept.type, given.unit, step.unit, drop, state);
        grad.inputs[t] = of_unit.input;
        grad.recurrent[t] = of_unit.recurrent;
        const at::Tensor of_context = of_step(gradients[1]);
        grad.contexts[t] = of_context.defined() ? at::addmm(of_context, of_unit.input, given.context)
                                                : at::mm(of_unit.input, given.context);
        grad.queries[t] = look_backward(kept, step, score, grad.contexts[t], of_step(gradients[2]), grad);
        state.hidden = at::addmm(state.hidden, grad.queries[t], given.query);
        if (conditional) {
            const UnitStepGradients of_first = unit_backward(kept.type, given.first, step.first, drop, state);
            grad.first_inputs[t] = of_first.input;
            grad.first_recurrent[t] = of_first.recurrent;
        }
    }
    grad.start = state;
    return grad;
}

// A member of all steps, packed.
template <typename Get>
at::Tensor of_all(const KeptRun& kept, const Get& get) {
    std::vector<at::Tensor> parts;
    for (const KeptStep& step : kept.steps) {
        parts.push_back(get(step));
    }
    return at::cat(parts);
}

// The gradients as those of all steps, from those of each.
AdditiveDecoder joined(const AdditiveDecoder& given, const KeptRun& kept, const StepGradients& grad,
                       const PackedWeights* packed) {
    const bool conditional = given.is_conditional();
    const at::Tensor rows = kept.rows.rows_of_sentences();
    const at::Tensor inputs = at::cat(grad.inputs);
    const at::Tensor queries = at::cat(grad.queries);
    const at::Tensor contexts = at::cat(grad.contexts);
    const auto of_unit = [&](const UnitWeights& unit, const std::vector<at::Tensor>& recurrent,
                             KeptUnitStep KeptStep::*of_step) {
        const at::Tensor all = at::cat(recurrent);
        const at::Tensor entering = of_all(kept, [&](const KeptStep& step) { return (step.*of_step).entering; });
        UnitWeights sum;
        sum.weight = deposit_product(unit.weight, all, entering, packed);
        sum.bias = deposit(unit.bias, all.sum(0));
        return sum;
    };
    AdditiveDecoder sum;
    sum.projected = conditional ? at::cat(grad.first_inputs) : inputs;
    sum.keys = grad.keys.index_select(0, rows);
    const at::Tensor weights = of_all(kept, [](const KeptStep& step) { return step.weights; });
    sum.values = at::bmm(unpack(weights, kept.rows).transpose(1, 2), unpack(contexts, kept.rows));
    sum.start = {select_rows(grad.start.hidden, rows), select_rows(grad.start.cell, rows)};
    sum.query = deposit_product(given.query, queries,
                                of_all(kept, [](const KeptStep& step) { return step.unit.before; }), packed);
    sum.score = deposit(given.score, grad.score.view(given.score.sizes()));
    sum.context =
        deposit_product(given.context, inputs, of_all(kept, [](const KeptStep& step) { return step.context; }), packed);
    sum.bias = conditional ? deposit(given.bias, inputs.sum(0)) : at::Tensor();
    sum.first = conditional ? of_unit(given.first, grad.first_recurrent, &KeptStep::first) : UnitWeights();
    sum.unit = of_unit(given.unit, grad.recurrent, &KeptStep::unit);
    return sum;
}

class LibraryRun : public torch::autograd::Function<LibraryRun> {
public:
    // `inputs`: those of inputs_of().
    static variable_list forward(AutogradContext* context, at::TensorList inputs,
                                 const c10::intrusive_ptr<KeptRun>& kept, PackedWeights* packed) {
        const AdditiveDecoder given = decoder_of(inputs);
        const at::Tensor order = to_device(kept->rows.order, given.projected.device());
        kept->keys = given.keys.index_select(0, order);
        kept->values = given.values.index_select(0, order);
        const std::vector<at::Tensor> states =
            run_forward(given, {select_rows(given.start.hidden, order), select_rows(given.start.cell, order)}, *kept);
        context->save_for_backward(inputs.vec());
        context->set_materialize_grads(false);
        context->saved_data[kept_key] = c10::IValue::make_capsule(kept);
        keep_weights(*context, packed);
        return {at::cat(states), of_all(*kept, [](const KeptStep& step) { return step.context; }),
                of_all(*kept, [](const KeptStep& step) { return step.weights; })};
    }

    static variable_list backward(AutogradContext* context, variable_list gradients) {
        const AdditiveDecoder given = decoder_of(context->get_saved_variables());
        const auto kept = c10::static_intrusive_pointer_cast<KeptRun>(context->saved_data[kept_key].toCapsule());
        for (at::Tensor& gradient : gradients) {
            gradient = gradient.defined() ? gradient.contiguous() : gradient;
        }
        if (!gradients[0].defined()) {
            gradients[0] = at::zeros({kept->rows.total, given.unit.weight.size(1)}, kept->keys.options());
        }
        const AdditiveDecoder sum = joined(given, *kept, run_backward(given, *kept, gradients), kept_weights(*context));
        kept->steps.clear();
        return gradients_of(sum);
    }
};

}  // namespace

AdditiveDecoderStates run_library_decoder(const AdditiveDecoder& decoder, const PackedRows& rows,
                                          const Execution& execution) {
    const at::Device device = decoder.projected.device();
    const at::Tensor order = to_device(rows.order, device);
    const auto kept = c10::make_intrusive<KeptRun>();
    kept->type = decoder.type;
    kept->rows = rows;
    const at::Tensor tokens = token_mask(decoder.source_lengths, decoder.keys.size(1), device).index_select(0, order);
    kept->padding = at::zeros(tokens.sizes(), decoder.keys.options().requires_grad(false))
                        .masked_fill_(tokens.logical_not(), -std::numeric_limits<double>::infinity());
    kept->drop = select_rows(decoder.unit.mask, order);
    const std::vector<at::Tensor> inputs = inputs_of(decoder);
    const variable_list result = LibraryRun::apply(at::TensorList(inputs), kept, execution.weights);
    return {result[0], result[1], result[2]};
}

}  // namespace softalign
