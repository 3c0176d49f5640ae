#include "ops/recurrent.h"

#include <ATen/Dispatch.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/additive_attention.h"
#include "kernels/elementwise.h"
#include "kernels/gru.h"
#include "ops/affine.h"
#include "ops/packed_weights.h"

namespace softalign {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The layout of a batch: what both passes need to find their way.
struct Layout {
    std::vector<std::int64_t> order;           // [B] row -> sentence
    std::vector<std::int64_t> counts;          // [T] rows of a step
    std::vector<std::int64_t> offsets;         // [T]
    std::vector<std::int64_t> source_lengths;  // [B] of a sentence
    std::int64_t positions = 0;                // S
    std::int64_t keys = 0;                     // A
    std::int64_t values = 0;                   // C
    std::int64_t hidden = 0;                   // H
    at::Tensor mask;  // as in AdditiveDecoder; here because LibTorch takes no undefined argument with a gradient

    std::size_t sentence(std::int64_t row) const {
        return static_cast<std::size_t>(order[static_cast<std::size_t>(row)]);
    }
    // The first key, or value, of a row's sentence.
    std::int64_t key(std::int64_t row) const { return order[static_cast<std::size_t>(row)] * positions * keys; }
    std::int64_t value(std::int64_t row) const { return order[static_cast<std::size_t>(row)] * positions * values; }
    std::int64_t length(std::int64_t row) const { return source_lengths[sentence(row)]; }
};

// What the forward pass leaves for the backward one, all packed.
struct KeptSteps {
    at::Tensor before;       // [P,H] s_{i-1}
    at::Tensor entering;     // [P,H] that times the mask; undefined without one
    at::Tensor queries;      // [P,A]
    at::Tensor weights;      // [P,S]
    at::Tensor gates;        // [P,3H] r, z, n
    at::Tensor recurrent_n;  // [P,H]
};

// Rows of x [B,·] in the order of the rows.
at::Tensor in_row_order(const at::Tensor& x, const std::vector<std::int64_t>& order) {
    return x.index_select(0, at::tensor(order, at::kLong));
}

template <typename T>
T* row_of(const at::Tensor& x, std::int64_t row) {
    return x.data_ptr<T>() + row * x.size(1);
}

// The attention of one step: contexts [rows,C] from queries [rows,A].
template <typename T>
void look(const AdditiveDecoder& given, const Layout& layout, const KeptSteps& kept, const at::Tensor& contexts,
          std::int64_t offset, std::int64_t rows) {
    for (std::int64_t row = 0; row < rows; ++row) {
        const AdditiveSource<T> source{given.keys.data_ptr<T>() + layout.key(row),
                                       given.values.data_ptr<T>() + layout.value(row), layout.length(row), layout.keys,
                                       layout.values};
        additive_attention(row_of<T>(kept.queries, offset + row), source, given.score.data_ptr<T>(),
                           row_of<T>(kept.weights, offset + row), row_of<T>(contexts, offset + row));
    }
}

template <typename T>
void run_forward(const AdditiveDecoder& given, const Layout& layout, const KeptSteps& kept, PackedWeights* packed,
                 const at::Tensor& states, const at::Tensor& contexts) {
    const std::int64_t hidden = layout.hidden;
    const RepeatedProduct<T> query(given.query, Pass::forward, packed);
    const RepeatedProduct<T> from_context(given.context, Pass::forward, packed);
    const RepeatedProduct<T> from_state(given.recurrent, Pass::forward, packed);
    const at::Tensor start = in_row_order(given.start, layout.order);
    const at::Tensor mask = given.mask.defined() ? in_row_order(given.mask, layout.order) : at::Tensor();
    const at::Tensor input = at::empty({layout.counts.front(), 3 * hidden}, start.options());
    const at::Tensor recurrent = at::empty_like(input);
    const T* current = start.data_ptr<T>();
    for (std::size_t t = 0; t < layout.counts.size(); ++t) {
        const std::int64_t rows = layout.counts[t];
        const std::int64_t offset = layout.offsets[t];
        T* before = row_of<T>(kept.before, offset);
        std::copy_n(current, rows * hidden, before);
        query(before, rows, row_of<T>(kept.queries, offset), Start::zero);
        look<T>(given, layout, kept, contexts, offset, rows);
        std::copy_n(row_of<T>(given.projected, offset), rows * 3 * hidden, input.data_ptr<T>());
        from_context(row_of<T>(contexts, offset), rows, input.data_ptr<T>(), Start::present);
        const T* entering = before;
        if (mask.defined()) {
            T* masked = row_of<T>(kept.entering, offset);
            multiply_each(before, mask.data_ptr<T>(), masked, rows * hidden);
            entering = masked;
        }
        from_state(entering, rows, recurrent.data_ptr<T>(), Start::bias, given.bias.data_ptr<T>());
        gru_forward(input.data_ptr<T>(), recurrent.data_ptr<T>(), before, row_of<T>(kept.gates, offset),
                    row_of<T>(kept.recurrent_n, offset), row_of<T>(states, offset), {rows, hidden});
        current = row_of<T>(states, offset);
    }
}

// The gradients that the steps make, packed, and those of what all steps share.
struct Gradients {
    at::Tensor projected;  // [P,3H]
    at::Tensor recurrent;  // [P,3H] of U s + d
    at::Tensor queries;    // [P,A]
    at::Tensor contexts;   // [P,C]
    at::Tensor weights;    // [P,S], of what reads them; undefined = nothing does
    at::Tensor keys;       // [B,S,A]
    at::Tensor values;     // [B,S,C]
    at::Tensor score;      // [1,A]
    at::Tensor start;      // [B,H], in the order of the rows
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

template <typename T>
void run_backward(const AdditiveDecoder& given, const Layout& layout, const KeptSteps& kept, PackedWeights* packed,
                  const at::Tensor& grad_states, const Gradients& grad) {
    const std::int64_t hidden = layout.hidden;
    const RepeatedProduct<T> query(given.query, Pass::backward, packed);
    const RepeatedProduct<T> to_context(given.context, Pass::backward, packed);
    const RepeatedProduct<T> to_state(given.recurrent, Pass::backward, packed);
    const at::Tensor mask = given.mask.defined() ? in_row_order(given.mask, layout.order) : at::Tensor();
    const at::Tensor through = at::empty_like(grad.start);
    T* carry = grad.start.data_ptr<T>();
    for (std::size_t t = layout.counts.size(); t-- > 0;) {
        const std::int64_t rows = layout.counts[t];
        const std::int64_t offset = layout.offsets[t];
        add_each(row_of<T>(grad_states, offset), carry, rows * hidden);
        T* of_input = row_of<T>(grad.projected, offset);
        T* of_recurrent = row_of<T>(grad.recurrent, offset);
        gru_backward(row_of<T>(kept.gates, offset), row_of<T>(kept.recurrent_n, offset), row_of<T>(kept.before, offset),
                     carry, of_input, of_recurrent, carry, {rows, hidden});
        to_context(of_input, rows, row_of<T>(grad.contexts, offset), Start::present);
        look_backward<T>(given, layout, kept, grad, offset, rows);
        query(row_of<T>(grad.queries, offset), rows, carry, Start::present);
        if (mask.defined()) {
            T* masked = through.data_ptr<T>();
            to_state(of_recurrent, rows, masked, Start::zero);
            add_products(masked, mask.data_ptr<T>(), carry, rows * hidden);
        } else {
            to_state(of_recurrent, rows, carry, Start::present);
        }
    }
}

// The gradient of the values: for each sentence the outer products of its weights and its contexts' gradients. After
// the loop over time, so that each sentence's rows stay in the cache.
template <typename T>
void add_values_gradient(const Layout& layout, const KeptSteps& kept, const Gradients& grad) {
    for (std::int64_t row = 0; row < layout.counts.front(); ++row) {
        T* values = grad.values.data_ptr<T>() + layout.value(row);
        for (std::size_t t = 0; t < layout.counts.size() && layout.counts[t] > row; ++t) {
            const std::int64_t place = layout.offsets[t] + row;
            add_outer(row_of<T>(kept.weights, place), row_of<T>(grad.contexts, place), values, layout.length(row),
                      layout.values);
        }
    }
}

class Run : public torch::autograd::Function<Run> {
public:
    static variable_list forward(AutogradContext* context, const at::Tensor& projected, const at::Tensor& keys,
                                 const at::Tensor& values, const at::Tensor& start, const at::Tensor& query,
                                 const at::Tensor& score, const at::Tensor& from_context, const at::Tensor& recurrent,
                                 const at::Tensor& bias, const Layout& layout, PackedWeights* packed) {
        const at::Tensor& mask = layout.mask;
        const AdditiveDecoder given{projected.contiguous(),
                                    keys.contiguous(),
                                    values.contiguous(),
                                    start,
                                    query,
                                    score,
                                    from_context,
                                    recurrent,
                                    bias,
                                    mask,
                                    {}};
        const std::int64_t total = projected.size(0);
        const auto empty = [&](std::int64_t columns) { return at::empty({total, columns}, projected.options()); };
        const KeptSteps kept{empty(layout.hidden),     mask.defined() ? empty(layout.hidden) : at::Tensor(),
                             empty(layout.keys),       at::zeros({total, layout.positions}, projected.options()),
                             empty(3 * layout.hidden), empty(layout.hidden)};
        const at::Tensor states = empty(layout.hidden);
        const at::Tensor contexts = empty(layout.values);
        AT_DISPATCH_FLOATING_TYPES(projected.scalar_type(), "additive decoder",
                                   [&] { run_forward<scalar_t>(given, layout, kept, packed, states, contexts); });
        context->save_for_backward({given.keys, given.values, query, score, from_context, recurrent, bias, mask,
                                    kept.before, kept.entering, kept.queries, kept.weights, kept.gates,
                                    kept.recurrent_n, contexts});
        keep_weights(*context, packed);
        context->set_materialize_grads(false);
        context->saved_data["order"] = layout.order;
        context->saved_data["counts"] = layout.counts;
        context->saved_data["offsets"] = layout.offsets;
        context->saved_data["source_lengths"] = layout.source_lengths;
        return {states, contexts, kept.weights};
    }

    static variable_list backward(AutogradContext* context, variable_list gradients) {
        const variable_list saved = context->get_saved_variables();
        const AdditiveDecoder given{at::Tensor(), saved[0], saved[1], at::Tensor(), saved[2], saved[3],
                                    saved[4],     saved[5], saved[6], saved[7],     {}};
        const KeptSteps kept{saved[8], saved[9], saved[10], saved[11], saved[12], saved[13]};
        const at::Tensor& contexts = saved[14];
        PackedWeights* const packed = kept_weights(*context);
        Layout layout;
        layout.order = context->saved_data["order"].toIntVector();
        layout.counts = context->saved_data["counts"].toIntVector();
        layout.offsets = context->saved_data["offsets"].toIntVector();
        layout.source_lengths = context->saved_data["source_lengths"].toIntVector();
        layout.positions = given.keys.size(1);
        layout.keys = given.keys.size(2);
        layout.values = given.values.size(2);
        layout.hidden = kept.before.size(1);
        const auto or_zeros = [](const at::Tensor& gradient, const at::Tensor& like) {
            return gradient.defined() ? gradient.contiguous() : at::zeros_like(like);
        };
        const Gradients grad{
            at::empty_like(kept.gates),
            at::empty_like(kept.gates),
            at::zeros_like(kept.queries),
            gradients[1].defined() ? gradients[1].clone(at::MemoryFormat::Contiguous) : at::zeros_like(contexts),
            gradients[2].defined() ? gradients[2].contiguous() : at::Tensor(),
            at::zeros_like(given.keys),
            at::zeros_like(given.values),
            at::zeros_like(given.score),
            at::zeros({layout.counts.front(), layout.hidden}, kept.before.options())};
        const at::Tensor grad_states = or_zeros(gradients[0], kept.before);
        AT_DISPATCH_FLOATING_TYPES(kept.before.scalar_type(), "additive decoder backward", [&] {
            run_backward<scalar_t>(given, layout, kept, packed, grad_states, grad);
            add_values_gradient<scalar_t>(layout, kept, grad);
        });
        at::Tensor grad_start = at::empty_like(grad.start);
        grad_start.index_copy_(0, at::tensor(layout.order, at::kLong), grad.start);
        const at::Tensor& entering = kept.entering.defined() ? kept.entering : kept.before;
        return {grad.projected,
                grad.keys,
                grad.values,
                grad_start,
                deposit_product(given.query, grad.queries, kept.before, packed),
                deposit(given.score, grad.score),
                deposit_product(given.context, grad.projected, contexts, packed),
                deposit_product(given.recurrent, grad.recurrent, entering, packed),
                deposit(given.bias, grad.recurrent.sum(0)),
                at::Tensor(),
                at::Tensor()};
    }
};

}  // namespace

AdditiveDecoderStates run_additive_decoder(const AdditiveDecoder& decoder, const PackedRows& rows,
                                           const Execution& execution) {
    Layout layout;
    layout.order = rows.order;
    layout.counts = rows.counts;
    layout.offsets = rows.offsets;
    layout.source_lengths = decoder.source_lengths;
    layout.positions = decoder.keys.size(1);
    layout.keys = decoder.keys.size(2);
    layout.values = decoder.values.size(2);
    layout.hidden = decoder.start.size(1);
    layout.mask = decoder.mask;
    const variable_list result =
        Run::apply(decoder.projected, decoder.keys, decoder.values, decoder.start, decoder.query, decoder.score,
                   decoder.context, decoder.recurrent, decoder.bias, layout, execution.weights);
    return {result[0], result[1], result[2]};
}

}  // namespace softalign
