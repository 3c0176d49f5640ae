#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "model/attention/mechanisms.h"
#include "ops/affine.h"
#include "ops/attention.h"
#include "ops/execution.h"
#include "ops/heads_attention.h"

namespace softalign {

HeadsAttention::HeadsAttention(const HeadsShape& shape)
    : Attention(shape.size),
      shape_(shape),
      weight_query_(declare("weight_query", {shape.size, shape.query_size}, shape.role)),
      weight_key_(
          declare("weight_key", {shape.groups * (shape.size / shape.heads), shape.annotation_size}, shape.role)),
      weight_value_(
          declare("weight_value", {shape.groups * (shape.size / shape.heads), shape.annotation_size}, shape.role)) {
    if (shape.output) {
        weight_output_ = declare("weight_output", {shape.size, shape.size}, shape.role);
    }
}

AttentionWork HeadsAttention::work(const BatchShape& on) const {
    return {
        flop(on.sources(), weight_key_) + flop(on.sources(), weight_value_),
        flop(on.targets(), weight_query_) + 2.0 * flop(on.pairs(), shape_.size) + flop(on.targets(), weight_output_)};
}

at::Tensor HeadsAttention::split(const at::Tensor& x, std::int64_t heads) const {
    return x.view({x.size(0), x.size(1), heads, -1}).transpose(1, 2);
}

// Keys and values stay as the products give them where the fused form reads them so.
AttentionMemory HeadsAttention::prepare(const Encoded& encoded, const Execution& execution) const {
    const at::Tensor keys = affine(encoded.annotations, weight_key_, execution);
    const at::Tensor values = affine(encoded.annotations, weight_value_, execution);
    if (has_fused_form(keys)) {
        return {keys, values, encoded.mask, encoded.lengths};
    }
    return {split(keys, shape_.groups).contiguous(), split(values, shape_.groups).contiguous(), encoded.mask,
            encoded.lengths};
}

bool HeadsAttention::shares(const AttentionMemory& memory) const {
    return has_fused_form(memory.keys);
}

// A causal query at target step t sees the positions up to t, all of them from the end of its sentence on. There,
// queries are sequences of their own, whose one query sees all keys.
Sequences HeadsAttention::sequences(const AttentionMemory& memory, std::int64_t rows, std::int64_t steps,
                                    std::int64_t position) const {
    Sequences result;
    const auto add = [&](std::int64_t query, std::int64_t queries, std::int64_t key, std::int64_t keys) {
        result.query_begin.push_back(query);
        result.query_length.push_back(queries);
        result.key_begin.push_back(key);
        result.key_length.push_back(keys);
    };
    const std::int64_t* of_row = memory.rows.defined() ? memory.rows.data_ptr<std::int64_t>() : nullptr;
    for (std::int64_t i = 0; i < rows; ++i) {
        const std::int64_t sentence = of_row != nullptr ? of_row[i] : i;
        const std::int64_t key = sentence * memory.keys.size(1);
        const std::int64_t length = memory.lengths[static_cast<std::size_t>(sentence)];
        const std::int64_t seen = shape_.causal ? std::min(position + steps, length) : length;
        const std::int64_t together = shape_.causal ? std::max<std::int64_t>(seen - position, 0) : steps;
        if (together > 0) {
            add(i * steps, together, key, seen);
        }
        for (std::int64_t t = together; t < steps; ++t) {
            add(i * steps + t, 1, key, length);
        }
    }
    return result;
}

// queries [N,Tq,A] -> context [N,Tq,A] before W_O.
AttentionResult HeadsAttention::fused(const at::Tensor& queries, const AttentionMemory& memory, std::int64_t position,
                                      Weights weights) const {
    const std::int64_t width = memory.keys.size(1);
    const auto flat = [](const at::Tensor& x) { return x.reshape({-1, x.size(2)}); };
    const Sequences ranges = sequences(memory, queries.size(0), queries.size(1), position);
    const HeadsForm form{shape_.heads, shape_.groups, shape_.causal, 0.0};
    AttentionResult result;
    result.context =
        heads_attention(flat(queries), flat(memory.keys), flat(memory.values), ranges, form, nullptr).view_as(queries);
    if (weights == Weights::wanted) {
        result.weights = heads_weights(flat(queries), flat(memory.keys), ranges, form, width)
                             .view({queries.size(0), queries.size(1), width});
    }
    return result;
}

// What a query may look at: [B,1,1,S], or with a causal mask [B,1,r*Tq,S], r = h/g the query heads of a group.
at::Tensor HeadsAttention::allowed(const at::Tensor& mask, std::int64_t steps, std::int64_t position) const {
    const at::Tensor present = mask.unsqueeze(1).unsqueeze(1);
    if (!shape_.causal) {
        return present;
    }
    const auto options = mask.options().dtype(at::kLong);
    const at::Tensor now = at::arange(position, position + steps, options).unsqueeze(1);
    const at::Tensor seen = at::arange(mask.size(1), options).unsqueeze(0).le(now);  // [Tq,S]
    return present.logical_and(seen.repeat({shape_.heads / shape_.groups, 1}));
}

// The r query heads that share a key and value head are laid one after the other along the target steps, so that one
// product per group serves them all.
AttentionResult HeadsAttention::plain(const at::Tensor& projected, const AttentionMemory& memory, std::int64_t position,
                                      Weights weights) const {
    const std::int64_t rows = projected.size(0);
    const std::int64_t steps = projected.size(1);
    const std::int64_t width = shape_.size / shape_.heads;
    const auto grouped = [&](const at::Tensor& x) { return x.dim() == 3 ? split(x, shape_.groups) : x; };
    const at::Tensor keys = grouped(memory.keys);
    const at::Tensor values = grouped(memory.values);
    const at::Tensor queries = split(projected, shape_.heads).reshape({rows, shape_.groups, -1, width});
    const at::Tensor visible = allowed(memory.mask, steps, position);
    AttentionResult result;
    at::Tensor context;  // [B,g,r*Tq,a]
    if (weights == Weights::unwanted) {
        context = scaled_dot_context(queries, keys, values, visible);
    }
    if (!context.defined()) {
        const double scale = 1.0 / std::sqrt(static_cast<double>(width));
        const at::Tensor each = masked_softmax(at::matmul(queries * scale, keys.transpose(2, 3)), visible);
        context = at::matmul(each, values);
        result.weights = each.view({rows, shape_.heads, steps, -1}).mean(1);
    }
    result.context =
        context.reshape({rows, shape_.heads, steps, width}).transpose(1, 2).reshape({rows, steps, shape_.size});
    return result;
}

// The fused form gives weights, but no gradient of them.
AttentionResult HeadsAttention::compute(const at::Tensor& query, const AttentionMemory& memory, AttentionState& state,
                                        Weights weights, const Execution& execution) const {
    const at::Tensor queries = affine(query, weight_query_, execution);
    const bool is_fused = has_fused_form(memory.keys) && (weights == Weights::unwanted || !at::GradMode::is_enabled());
    AttentionResult result =
        is_fused ? fused(queries, memory, state.position, weights) : plain(queries, memory, state.position, weights);
    if (weight_output_.defined()) {
        result.context = affine(result.context, weight_output_, execution);
    }
    return result;
}

}  // namespace softalign
