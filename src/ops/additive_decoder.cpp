#include "ops/recurrent.h"

#include <ATen/Dispatch.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/additive_attention.h"
#include "kernels/elementwise.h"
#include "ops/additive_decoder.h"
#include "ops/affine.h"
#include "ops/library_layer.h"
#include "ops/packed_weights.h"
#include "ops/recurrent_units.h"

namespace softalign {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The layout of a batch: what both passes need to find their way, and what has no gradient.
struct Layout : torch::CustomClassHolder {
    PackedRows rows;
    std::vector<std::int64_t> source_lengths;  // [B] of a sentence
    std::int64_t positions = 0;                // S
    std::int64_t keys = 0;                     // A
    std::int64_t values = 0;                   // C
    std::int64_t hidden = 0;                   // H
    at::Tensor mask;                           // of the unit

    std::int64_t sentence(std::int64_t row) const { return rows.order[static_cast<std::size_t>(row)]; }
    // The first key, or value, of a row's sentence.
    std::int64_t key(std::int64_t row) const { return sentence(row) * positions * keys; }
    std::int64_t value(std::int64_t row) const { return sentence(row) * positions * values; }
    std::int64_t length(std::int64_t row) const { return source_lengths[static_cast<std::size_t>(sentence(row))]; }
};

constexpr const char* layout_key = "layout";

// What the forward pass leaves for the backward one, all packed.
struct KeptSteps {
    KeptUnit unit;        // `before` is what attention reads: s_{i-1}, or s'_i
    KeptUnit first;       // of f1, where there is one
    KeptNorm norm;        // of C c_i
    at::Tensor queries;   // [P,A]
    at::Tensor weights;   // [P,S]
    at::Tensor contexts;  // [P,C]
};

auto tensors_of(KeptUnit& x) {
    return std::array{&x.gates, &x.inner, &x.before, &x.entering, &x.norm.normalized, &x.norm.scale};
}

// Every tensor that the backward pass needs, in the order in which they are saved.
std::vector<at::Tensor*> saved_tensors(AdditiveDecoder& given, KeptSteps& kept) {
    std::vector<at::Tensor*> all = {&kept.norm.normalized, &kept.norm.scale, &kept.queries, &kept.weights,
                                    &kept.contexts};
    for (at::Tensor* x : tensors_of(given)) {
        all.push_back(x);
    }
    for (KeptUnit* unit : {&kept.unit, &kept.first}) {
        for (at::Tensor* x : tensors_of(*unit)) {
            all.push_back(x);
        }
    }
    return all;
}

// Rows of x [B,·] in the order of the rows.
at::Tensor in_row_order(const at::Tensor& x, const std::vector<std::int64_t>& order) {
    return select_rows(x, at::tensor(order, at::kLong));
}

UnitWeights in_row_order(const UnitWeights& unit, const std::vector<std::int64_t>& order) {
    return {unit.weight, unit.bias, in_row_order(unit.mask, order), unit.norm};
}

template <typename T>
T* row_of(const at::Tensor& x, std::int64_t row) {
    return x.data_ptr<T>() + row * x.size(1);
}

// The attention of one step: contexts [rows,C] from queries [rows,A].
template <typename T>
void look(const AdditiveDecoder& given, const Layout& layout, const KeptSteps& kept, std::int64_t offset,
          std::int64_t rows) {
    for (std::int64_t row = 0; row < rows; ++row) {
        const AdditiveSource<T> source{given.keys.data_ptr<T>() + layout.key(row),
                                       given.values.data_ptr<T>() + layout.value(row), layout.length(row), layout.keys,
                                       layout.values};
        additive_attention(row_of<T>(kept.queries, offset + row), source, given.score.data_ptr<T>(),
                           row_of<T>(kept.weights, offset + row), row_of<T>(kept.contexts, offset + row));
    }
}

// What the unit after attention reads [rows,G*H]: the projected word, or b of f2, plus C c, or LN(C c).
template <typename T>
void project_context(const AdditiveDecoder& given, const RepeatedProduct<T>& product, const KeptSteps& kept,
                     std::int64_t offset, std::int64_t rows, T* input) {
    const bool has_norm = given.norm.gain.defined();
    const bool has_word = !given.is_conditional();
    const std::int64_t count = rows * given.projected.size(1);
    const T* context = row_of<T>(kept.contexts, offset);
    const T* word = row_of<T>(given.projected, offset);
    if (has_norm || !has_word) {
        product(context, rows, input, has_norm ? Start::zero : Start::bias,
                has_norm ? nullptr : given.bias.data_ptr<T>());
        normalize(given.norm, kept.norm, offset, rows, input);
        if (has_word) {
            add_each(word, input, count);
        }
    } else {
        std::copy_n(word, count, input);
        product(context, rows, input, Start::present);
    }
}

// The steps of f1, where there is one.
template <template <typename> class Unit, typename T>
std::optional<UnitSteps<Unit, T>> first_steps(const AdditiveDecoder& given, const Layout& layout, Pass pass,
                                              PackedWeights* packed, const KeptSteps& kept) {
    using Steps = std::optional<UnitSteps<Unit, T>>;  // cannot be moved
    return given.is_conditional() ? Steps(std::in_place, in_row_order(given.first, layout.rows.order), pass, packed,
                                          kept.first, layout.rows.counts.front())
                                  : Steps();
}

template <template <typename> class Unit, typename T>
void run_forward(const AdditiveDecoder& given, const Layout& layout, const KeptSteps& kept, PackedWeights* packed,
                 const at::Tensor& states) {
    const std::int64_t hidden = layout.hidden;
    const std::int64_t sentences = layout.rows.counts.front();
    const RepeatedProduct<T> query(given.query, Pass::forward, packed);
    const RepeatedProduct<T> from_context(given.context, Pass::forward, packed);
    UnitSteps<Unit, T> unit(in_row_order(given.unit, layout.rows.order), Pass::forward, packed, kept.unit, sentences);
    auto first = first_steps<Unit, T>(given, layout, Pass::forward, packed, kept);
    const at::Tensor start = in_row_order(given.start.hidden, layout.rows.order);
    const at::Tensor cells = in_row_order(given.start.cell, layout.rows.order);
    T* cell = Unit<T>::has_cell ? cells.data_ptr<T>() : nullptr;
    const at::Tensor between = at::empty({first ? sentences : 0, hidden}, start.options());
    const at::Tensor input = at::empty({sentences, Unit<T>::gates * hidden}, start.options());
    const T* current = start.data_ptr<T>();
    for (std::size_t t = 0; t < layout.rows.counts.size(); ++t) {
        const std::int64_t rows = layout.rows.counts[t];
        const std::int64_t offset = layout.rows.offsets[t];
        if (first) {
            first->forward(offset, rows, row_of<T>(given.projected, offset), current, cell, between.data_ptr<T>());
            current = between.data_ptr<T>();
        }
        query(current, rows, row_of<T>(kept.queries, offset), Start::zero);
        look<T>(given, layout, kept, offset, rows);
        project_context(given, from_context, kept, offset, rows, input.data_ptr<T>());
        unit.forward(offset, rows, input.data_ptr<T>(), current, cell, row_of<T>(states, offset));
        current = row_of<T>(states, offset);
    }
}

// The gradients that the steps make, packed, and those of what all steps share.
struct Gradients {
    UnitGradients unit;
    UnitGradients first;  // of f1, where there is one; its states are those of `unit`
    at::Tensor queries;   // [P,A]
    at::Tensor products;  // [P,G*H] of C c
    NormWeights norm;     // of LN(C c)
    at::Tensor contexts;  // [P,C]
    at::Tensor weights;   // [P,S], of what reads them; undefined = nothing does
    at::Tensor keys;      // [B,S,A]
    at::Tensor values;    // [B,S,C]
    at::Tensor score;     // [1,A]
};

// The attention of one step backwards: gradients of the queries, the keys and v from those of the contexts and the
// weights.
template <typename T>
void look_backward(const AdditiveDecoder& given, const Layout& layout, const KeptSteps& kept, const Gradients& grad,
                   std::int64_t offset, std::int64_t rows) {
    std::vector<T> scores(static_cast<std::size_t>(layout.positions));
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t length = layout.length(row);
        const T* weights = row_of<T>(kept.weights, offset + row);
        inner_products(given.values.data_ptr<T>() + layout.value(row), row_of<T>(grad.contexts, offset + row),
                       scores.data(), length, layout.values);
        if (grad.weights.defined()) {
            add_each(row_of<T>(grad.weights, offset + row), scores.data(), length);
        }
        T mean = 0;
        for (std::int64_t s = 0; s < length; ++s) {
            mean += weights[s] * scores[static_cast<std::size_t>(s)];
        }
        for (std::int64_t s = 0; s < length; ++s) {
            T& score = scores[static_cast<std::size_t>(s)];
            score = weights[s] * (score - mean);
        }
        additive_scores_backward(row_of<T>(kept.queries, offset + row), given.keys.data_ptr<T>() + layout.key(row),
                                 given.score.data_ptr<T>(), scores.data(), row_of<T>(grad.queries, offset + row),
                                 grad.keys.data_ptr<T>() + layout.key(row), grad.score.data_ptr<T>(), length,
                                 layout.keys);
    }
}

template <template <typename> class Unit, typename T>
void run_backward(const AdditiveDecoder& given, const Layout& layout, const KeptSteps& kept, PackedWeights* packed,
                  const at::Tensor& grad_states, const Gradients& grad) {
    const RepeatedProduct<T> query(given.query, Pass::backward, packed);
    const RepeatedProduct<T> to_context(given.context, Pass::backward, packed);
    UnitSteps<Unit, T> unit(in_row_order(given.unit, layout.rows.order), Pass::backward, packed, kept.unit,
                            layout.rows.counts.front());
    auto first = first_steps<Unit, T>(given, layout, Pass::backward, packed, kept);
    for (std::size_t t = layout.rows.counts.size(); t-- > 0;) {
        const std::int64_t rows = layout.rows.counts[t];
        const std::int64_t offset = layout.rows.offsets[t];
        const StepGradients<T> of_step = grad.unit.step<T>(offset);
        add_each(row_of<T>(grad_states, offset), of_step.hidden, rows * layout.hidden);
        unit.backward(offset, rows, of_step);
        T* products = row_of<T>(grad.products, offset);
        normalize_backward(given.norm, kept.norm, offset, rows, grad.norm, of_step.projected, products);
        to_context(products, rows, row_of<T>(grad.contexts, offset), Start::present);
        look_backward<T>(given, layout, kept, grad, offset, rows);
        query(row_of<T>(grad.queries, offset), rows, of_step.hidden, Start::present);
        unit.enter(of_step, rows);
        if (first) {
            first->backward(offset, rows, grad.first.step<T>(offset));
            first->enter(grad.first.step<T>(offset), rows);
        }
    }
}

// The gradient of the values: for each sentence the outer products of its weights and its contexts' gradients. After
// the loop over time, so that each sentence's rows stay in the cache.
template <typename T>
void add_values_gradient(const Layout& layout, const KeptSteps& kept, const Gradients& grad) {
    for (std::int64_t row = 0; row < layout.rows.counts.front(); ++row) {
        T* values = grad.values.data_ptr<T>() + layout.value(row);
        for (std::size_t t = 0; t < layout.rows.counts.size() && layout.rows.counts[t] > row; ++t) {
            const std::int64_t place = layout.rows.offsets[t] + row;
            add_outer(row_of<T>(kept.weights, place), row_of<T>(grad.contexts, place), values, layout.length(row),
                      layout.values);
        }
    }
}

// The gradients as those of all steps, from those of each.
template <template <typename> class Unit>
AdditiveDecoder joined(const AdditiveDecoder& given, const Layout& layout, const KeptSteps& kept,
                       const PackedWeights* packed, const Gradients& grad) {
    const at::Tensor order = at::tensor(layout.rows.order, at::kLong);
    const auto of_sentences = [&](const at::Tensor& x) {
        return x.defined() ? at::empty_like(x).index_copy_(0, order, x) : x;
    };
    const auto of_unit = [&](const UnitWeights& unit, const UnitGradients& of_steps, const KeptUnit& kept_unit) {
        return UnitWeights{Unit<float>::weight_gradient(unit.weight, of_steps.recurrent, kept_unit, packed),
                           bias_gradient(unit.bias, of_steps),
                           {},
                           deposit(unit.norm, of_steps.norm)};
    };
    const bool conditional = given.is_conditional();
    AdditiveDecoder sum;
    sum.projected = (conditional ? grad.first : grad.unit).projected;
    sum.keys = grad.keys;
    sum.values = grad.values;
    sum.start = {of_sentences(grad.unit.hidden), of_sentences(grad.unit.cell)};
    sum.query = deposit_product(given.query, grad.queries, kept.unit.before, packed);
    sum.score = deposit(given.score, grad.score);
    sum.context = deposit_product(given.context, grad.products, kept.contexts, packed);
    sum.bias = given.bias.defined() ? deposit(given.bias, grad.products.sum(0)) : at::Tensor();
    sum.norm = deposit(given.norm, grad.norm);
    sum.first = conditional ? of_unit(given.first, grad.first, kept.first) : UnitWeights();
    sum.unit = of_unit(given.unit, grad.unit, kept.unit);
    return sum;
}

template <template <typename> class Unit>
class Run : public torch::autograd::Function<Run<Unit>> {
    static constexpr bool has_cell = Unit<float>::has_cell;

public:
    // `inputs`: those of inputs_of().
    static variable_list forward(AutogradContext* context, at::TensorList inputs,
                                 const c10::intrusive_ptr<Layout>& shared_layout, PackedWeights* packed) {
        const Layout& layout = *shared_layout;
        AdditiveDecoder given = decoder_of(inputs);
        for (at::Tensor* x : {&given.projected, &given.keys, &given.values}) {
            *x = x->contiguous();
        }
        given.first.mask = given.unit.mask = layout.mask;
        const std::int64_t total = given.projected.size(0);
        const auto empty = [&](std::int64_t columns) { return at::empty({total, columns}, given.projected.options()); };
        KeptSteps kept;
        kept.unit = KeptUnit::empty(total, Unit<float>::gates, given.unit);
        kept.first = given.is_conditional() ? KeptUnit::empty(total, Unit<float>::gates, given.first) : KeptUnit();
        kept.norm = KeptNorm::empty(total, given.norm);
        kept.queries = empty(layout.keys);
        kept.weights = at::zeros({total, layout.positions}, given.projected.options());
        kept.contexts = empty(layout.values);
        const at::Tensor states = empty(layout.hidden);
        AT_DISPATCH_FLOATING_TYPES(states.scalar_type(), "additive decoder",
                                   [&] { run_forward<Unit, scalar_t>(given, layout, kept, packed, states); });
        given.projected = at::Tensor();
        variable_list saved;
        for (const at::Tensor* x : saved_tensors(given, kept)) {
            saved.push_back(*x);
        }
        context->save_for_backward(saved);
        keep_weights(*context, packed);
        context->set_materialize_grads(false);
        context->saved_data[layout_key] = c10::IValue::make_capsule(shared_layout);
        return {states, kept.contexts, kept.weights};
    }

    static variable_list backward(AutogradContext* context, variable_list gradients) {
        const variable_list saved = context->get_saved_variables();
        const auto shared_layout =
            c10::static_intrusive_pointer_cast<Layout>(context->saved_data[layout_key].toCapsule());
        const Layout& layout = *shared_layout;
        AdditiveDecoder given;
        KeptSteps kept;
        std::size_t next = 0;
        for (at::Tensor* x : saved_tensors(given, kept)) {
            *x = saved[next++];
        }
        given.first.mask = given.unit.mask = layout.mask;
        PackedWeights* const packed = kept_weights(*context);
        const auto or_zeros = [](const at::Tensor& gradient, const at::Tensor& like) {
            return gradient.defined() ? gradient.contiguous() : at::zeros_like(like);
        };
        const at::Tensor zeros = at::zeros({layout.rows.counts.front(), layout.hidden}, kept.queries.options());
        Gradients grad;
        grad.unit = UnitGradients::empty<Unit>(kept.unit, zeros, has_cell ? zeros.clone() : at::Tensor());
        if (given.is_conditional()) {
            grad.first = UnitGradients::empty<Unit>(kept.first, grad.unit.hidden, grad.unit.cell);
        }
        grad.queries = at::zeros_like(kept.queries);
        grad.norm = zero_sums(kept.norm);
        grad.products = given.norm.gain.defined() ? at::empty_like(grad.unit.projected) : grad.unit.projected;
        grad.contexts =
            gradients[1].defined() ? gradients[1].clone(at::MemoryFormat::Contiguous) : at::zeros_like(kept.contexts);
        grad.weights = gradients[2].defined() ? gradients[2].contiguous() : at::Tensor();
        grad.keys = at::zeros_like(given.keys);
        grad.values = at::zeros_like(given.values);
        grad.score = at::zeros_like(given.score);
        const at::Tensor grad_states = or_zeros(gradients[0], kept.unit.before);
        AT_DISPATCH_FLOATING_TYPES(kept.queries.scalar_type(), "additive decoder backward", [&] {
            run_backward<Unit, scalar_t>(given, layout, kept, packed, grad_states, grad);
            add_values_gradient<scalar_t>(layout, kept, grad);
        });
        return gradients_of(joined<Unit>(given, layout, kept, packed, grad));
    }
};

}  // namespace

AdditiveDecoderStates run_additive_decoder(const AdditiveDecoder& decoder, const PackedRows& rows,
                                           const Execution& execution) {
    if (has_library_form(decoder.projected)) {
        return run_library_decoder(decoder, rows, execution);
    }
    const auto layout = c10::make_intrusive<Layout>();
    layout->rows = rows;
    layout->source_lengths = decoder.source_lengths;
    layout->positions = decoder.keys.size(1);
    layout->keys = decoder.keys.size(2);
    layout->values = decoder.values.size(2);
    layout->hidden = decoder.start.hidden.size(1);
    layout->mask = decoder.unit.mask;
    const variable_list inputs = inputs_of(decoder);
    const variable_list result = with_unit(decoder.type, [&](auto unit) {
        return Run<decltype(unit)::template Of>::apply(at::TensorList(inputs), layout, execution.weights);
    });
    return {result[0], result[1], result[2]};
}

}  // namespace softalign
