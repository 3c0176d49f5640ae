#include <cmath>
#include <cstdint>

#include "model/attention/mechanisms.h"
#include "ops/affine.h"

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

AttentionMemory HeadsAttention::prepare(const Encoded& encoded, const Execution& execution) const {
    return {split(affine(encoded.annotations, weight_key_, execution), shape_.groups).contiguous(),
            split(affine(encoded.annotations, weight_value_, execution), shape_.groups).contiguous(), encoded.mask,
            encoded.lengths};
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
AttentionResult HeadsAttention::compute(const at::Tensor& query, const AttentionMemory& memory, AttentionState& state,
                                        Weights weights, const Execution& execution) const {
    const std::int64_t rows = query.size(0);
    const std::int64_t steps = query.size(1);
    const std::int64_t shared = shape_.heads / shape_.groups;
    const std::int64_t width = shape_.size / shape_.heads;
    const at::Tensor queries = split(affine(query, weight_query_, execution), shape_.heads)
                                   .reshape({rows, shape_.groups, shared * steps, width});
    const at::Tensor visible = allowed(memory.mask, steps, state.position);
    AttentionResult result;
    at::Tensor context;  // [B,g,r*Tq,a]
    if (weights == Weights::unwanted) {
        context = scaled_dot_context(queries, memory.keys, memory.values, visible);
    }
    if (!context.defined()) {
        const double scale = 1.0 / std::sqrt(static_cast<double>(width));
        const at::Tensor each = masked_softmax(at::matmul(queries * scale, memory.keys.transpose(2, 3)), visible);
        context = at::matmul(each, memory.values);
        result.weights = each.view({rows, shape_.heads, steps, -1}).mean(1);
    }
    const at::Tensor joined =
        context.reshape({rows, shape_.heads, steps, width}).transpose(1, 2).reshape({rows, steps, shape_.size});
    result.context = weight_output_.defined() ? affine(joined, weight_output_, execution) : joined;
    return result;
}

}  // namespace softalign
