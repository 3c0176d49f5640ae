#include "ops/heads_attention.h"

#include <ATen/Dispatch.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/flash_attention.h"
#include "kernels/hashed_mask.h"
#include "ops/to_device.h"

namespace softalign {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// What a pass is given beside the tensors.
struct FlashCall {
    const Sequences& sequences;
    const HeadsForm& form;
    bool drops;
    std::uint64_t key;  // of the dropout mask
};

template <typename T>
FlashRows<T> flash_rows(const at::Tensor& x) {
    return {x.data_ptr<T>(), x.stride(0)};
}

template <typename T>
FlashRows<const T> constant_rows(const at::Tensor& x) {
    return {x.data_ptr<T>(), x.stride(0)};
}

at::Tensor with_contiguous_rows(const at::Tensor& x) {
    return x.stride(1) == 1 ? x : x.contiguous();
}

std::vector<FlashRange> flash_ranges(const Sequences& sequences) {
    std::vector<FlashRange> ranges;
    ranges.reserve(sequences.query_begin.size());
    for (std::size_t i = 0; i < sequences.query_begin.size(); ++i) {
        ranges.push_back(
            {sequences.query_begin[i], sequences.query_length[i], sequences.key_begin[i], sequences.key_length[i]});
    }
    return ranges;
}

// Calls function(input) with what the kernels read.
template <typename T, typename Function>
void with_input(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const FlashCall& call,
                Function function) {
    const std::vector<FlashRange> ranges = flash_ranges(call.sequences);
    const HeadsForm& form = call.form;
    const FlashDropout dropout{mask_key(call.key, form.dropout), 1.0 / (1.0 - form.dropout)};
    function(FlashInput<T>{constant_rows<T>(q), constant_rows<T>(k), constant_rows<T>(v), form.heads, form.groups,
                           q.size(1) / form.heads, form.causal, call.drops ? &dropout : nullptr, ranges});
}

// Returns the result; `log_sums` [Pq,h] is filled if defined.
at::Tensor run_flash(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const FlashCall& call,
                     const at::Tensor& log_sums) {
    at::Tensor outputs = at::zeros({q.size(0), q.size(1)}, q.options());
    AT_DISPATCH_FLOATING_TYPES(q.scalar_type(), "attention with heads", [&] {
        with_input<scalar_t>(q, k, v, call, [&](const FlashInput<scalar_t>& input) {
            flash_forward(input, flash_rows<scalar_t>(outputs),
                          log_sums.defined() ? log_sums.data_ptr<scalar_t>() : nullptr);
        });
    });
    return outputs;
}

class FlashAttention : public torch::autograd::Function<FlashAttention> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                              const FlashCall& call) {
        const at::Tensor log_sums = at::empty({q.size(0), call.form.heads}, q.options());
        const at::Tensor outputs = run_flash(q, k, v, call, log_sums);
        context->save_for_backward({q, k, v, outputs, log_sums});
        auto& data = context->saved_data;
        data["query_begin"] = call.sequences.query_begin;
        data["query_length"] = call.sequences.query_length;
        data["key_begin"] = call.sequences.key_begin;
        data["key_length"] = call.sequences.key_length;
        data["heads"] = call.form.heads;
        data["groups"] = call.form.groups;
        data["causal"] = call.form.causal;
        data["dropout"] = call.form.dropout;
        data["drops"] = call.drops;
        data["key"] = static_cast<std::int64_t>(call.key);
        return outputs;
    }

    static variable_list backward(AutogradContext* context, variable_list gradients) {
        const variable_list saved = context->get_saved_variables();
        auto& data = context->saved_data;
        const Sequences sequences{data["query_begin"].toIntVector(), data["query_length"].toIntVector(),
                                  data["key_begin"].toIntVector(), data["key_length"].toIntVector()};
        const HeadsForm form{data["heads"].toInt(), data["groups"].toInt(), data["causal"].toBool(),
                             data["dropout"].toDouble()};
        const FlashCall call{sequences, form, data["drops"].toBool(), static_cast<std::uint64_t>(data["key"].toInt())};
        const at::Tensor grad_outputs = with_contiguous_rows(gradients[0]);
        at::Tensor grad_q = at::zeros(saved[0].sizes(), saved[0].options());
        at::Tensor grad_k = at::zeros(saved[1].sizes(), saved[1].options());
        at::Tensor grad_v = at::zeros(saved[2].sizes(), saved[2].options());
        AT_DISPATCH_FLOATING_TYPES(grad_q.scalar_type(), "attention with heads backward", [&] {
            with_input<scalar_t>(saved[0], saved[1], saved[2], call, [&](const FlashInput<scalar_t>& input) {
                flash_backward(input, {constant_rows<scalar_t>(saved[3]), saved[4].data_ptr<scalar_t>(),
                                       constant_rows<scalar_t>(grad_outputs), flash_rows<scalar_t>(grad_q),
                                       flash_rows<scalar_t>(grad_k), flash_rows<scalar_t>(grad_v)});
            });
        });
        return {grad_q, grad_k, grad_v, at::Tensor()};
    }
};

// Sequences as rectangles: where they take their rows from, and which of them are there.
struct Rectangle {
    at::Tensor rows;     // [N,L] int64, 0 beyond a sequence
    at::Tensor present;  // [N,L] bool
};

Rectangle rectangle_of(const std::vector<std::int64_t>& begin, const std::vector<std::int64_t>& length,
                       std::int64_t width, const at::Device& device) {
    const auto column = [](const std::vector<std::int64_t>& x) { return at::tensor(x, at::kLong).unsqueeze(1); };
    const at::Tensor steps = at::arange(width, at::kLong).unsqueeze(0);
    const at::Tensor present = steps.lt(column(length));
    const at::Tensor rows = steps.add(column(begin)).masked_fill(present.logical_not(), 0);
    return {to_device(rows, device), to_device(present, device)};
}

std::int64_t longest(const std::vector<std::int64_t>& lengths) {
    return lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
}

// Queries and keys of all sequences as rectangles, and which see which.
struct Rectangles {
    Rectangle queries;   // [N,Tq]
    Rectangle keys;      // [N,Tk]
    at::Tensor allowed;  // [N,1,Tq,Tk] bool
};

Rectangles rectangles_of(const Sequences& sequences, const HeadsForm& form, std::int64_t width,
                         const at::Device& device) {
    Rectangles result;
    result.queries =
        rectangle_of(sequences.query_begin, sequences.query_length, longest(sequences.query_length), device);
    result.keys = rectangle_of(sequences.key_begin, sequences.key_length, width, device);
    result.allowed = result.queries.present.unsqueeze(2).logical_and(result.keys.present.unsqueeze(1));
    if (form.causal) {
        const auto column = [&](const std::vector<std::int64_t>& x) { return to_device(x, device).view({-1, 1, 1}); };
        const at::Tensor ahead = column(sequences.key_length) - column(sequences.query_length);  // [N,1,1]
        const auto steps = [&](std::int64_t count) {
            return at::arange(count, at::TensorOptions(at::kLong).device(device));
        };
        const at::Tensor last = steps(result.queries.rows.size(1)).view({1, -1, 1}) + ahead;  // [N,Tq,1]
        result.allowed = result.allowed.logical_and(steps(width).view({1, 1, -1}).le(last));
    }
    result.allowed = result.allowed.unsqueeze(1);
    return result;
}

// Rows of x [P, n a] as [N, n, L, a].
at::Tensor heads_of(const at::Tensor& x, const Rectangle& rectangle, std::int64_t heads) {
    const std::int64_t rows = rectangle.rows.size(0);
    return x.index_select(0, rectangle.rows.reshape({-1}))
        .view({rows, rectangle.rows.size(1), heads, x.size(1) / heads})
        .transpose(1, 2);
}

// The softmax over the allowed positions [N,h,Tq,Tk]; zeros for queries that see nothing.
at::Tensor plain_weights(const at::Tensor& q, const at::Tensor& k, const Rectangles& rectangles,
                         const HeadsForm& form) {
    const double scale = 1.0 / std::sqrt(static_cast<double>(q.size(1) / form.heads));
    const at::Tensor queries = heads_of(q, rectangles.queries, form.heads);
    const at::Tensor keys = heads_of(k, rectangles.keys, form.groups).repeat_interleave(form.heads / form.groups, 1);
    const at::Tensor scores = at::matmul(queries, keys.transpose(2, 3)).mul(scale);
    // Not minus infinity, whose softmax and gradient would be NaN where a query sees nothing.
    return scores.masked_fill(rectangles.allowed.logical_not(), -1e30).softmax(-1).mul(rectangles.allowed);
}

// The rows [Pq,·] whose sequences' rows x [N,Tq,·] has; zeros elsewhere.
at::Tensor rows_back(const at::Tensor& x, const Sequences& sequences, std::int64_t rows) {
    std::vector<std::int64_t> from;
    std::vector<std::int64_t> to;
    for (std::size_t i = 0; i < sequences.query_begin.size(); ++i) {
        for (std::int64_t step = 0; step < sequences.query_length[i]; ++step) {
            from.push_back(static_cast<std::int64_t>(i) * x.size(1) + step);
            to.push_back(sequences.query_begin[i] + step);
        }
    }
    const at::Tensor found = x.reshape({-1, x.size(2)}).index_select(0, to_device(from, x.device()));
    return at::zeros({rows, x.size(2)}, x.options()).index_copy(0, to_device(to, x.device()), found);
}

bool drops_weights(const HeadsForm& form, const Noise* noise) {
    return noise != nullptr && form.dropout > 0.0;
}

}  // namespace

at::Tensor heads_attention_plain(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                 const Sequences& sequences, const HeadsForm& form, Noise* noise) {
    const Rectangles rectangles = rectangles_of(sequences, form, longest(sequences.key_length), q.device());
    at::Tensor weights = plain_weights(q, k, rectangles, form);
    if (drops_weights(form, noise)) {
        const at::Tensor heads = at::arange(form.heads, rectangles.queries.rows.options()).view({1, -1, 1});
        const at::Tensor numbers = rectangles.queries.rows.unsqueeze(1) * form.heads + heads;  // [N,h,Tq]
        weights = weights * hashed_mask_of_rows(numbers, weights.size(3), form.dropout, noise->next_key(), q.options());
    }
    const at::Tensor values = heads_of(v, rectangles.keys, form.groups).repeat_interleave(form.heads / form.groups, 1);
    const at::Tensor joined = at::matmul(weights, values).transpose(1, 2).flatten(2);  // [N,Tq,h a]
    return rows_back(joined, sequences, q.size(0));
}

at::Tensor heads_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const Sequences& sequences,
                           const HeadsForm& form, Noise* noise) {
    if (!has_fused_form(q)) {
        return heads_attention_plain(q, k, v, sequences, form, noise);
    }
    const bool drops = drops_weights(form, noise);
    const FlashCall call{sequences, form, drops, drops ? noise->next_key() : 0};
    const at::Tensor queries = with_contiguous_rows(q);
    const at::Tensor keys = with_contiguous_rows(k);
    const at::Tensor values = with_contiguous_rows(v);
    if (!at::GradMode::is_enabled()) {
        return run_flash(queries, keys, values, call, at::Tensor());
    }
    return FlashAttention::apply(queries, keys, values, call);
}

at::Tensor heads_weights_plain(const at::Tensor& q, const at::Tensor& k, const Sequences& sequences,
                               const HeadsForm& form, std::int64_t width) {
    const Rectangles rectangles = rectangles_of(sequences, form, width, q.device());
    return rows_back(plain_weights(q, k, rectangles, form).mean(1), sequences, q.size(0));
}

at::Tensor heads_weights(const at::Tensor& q, const at::Tensor& k, const Sequences& sequences, const HeadsForm& form,
                         std::int64_t width) {
    const bool is_recorded = at::GradMode::is_enabled() && (q.requires_grad() || k.requires_grad());
    if (is_recorded || !has_fused_form(q)) {
        return heads_weights_plain(q, k, sequences, form, width);
    }
    const at::Tensor queries = with_contiguous_rows(q);
    const at::Tensor keys = with_contiguous_rows(k);
    at::Tensor weights = at::zeros({q.size(0), width}, q.options());
    AT_DISPATCH_FLOATING_TYPES(q.scalar_type(), "weights of attention with heads", [&] {
        with_input<scalar_t>(queries, keys, keys, {sequences, form, false, 0}, [&](const FlashInput<scalar_t>& input) {
            flash_weights(input, flash_rows<scalar_t>(weights));
        });
    });
    return weights;
}

}  // namespace softalign
