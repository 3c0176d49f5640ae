#include <cmath>
#include <cstdint>

#include "model/attention/mechanisms.h"
#include "model/parameter.h"
#include "ops/affine.h"

namespace softalign {

HeadsAttention::HeadsAttention(const HeadsShape& shape)
    : Attention(shape.size),
      shape_(shape),
      weight_query_(register_parameter("weight_query", declared_parameter({shape.size, shape.query_size}))),
      weight_key_(register_parameter(
          "weight_key", declared_parameter({shape.groups * (shape.size / shape.heads), shape.annotation_size}))),
      weight_value_(register_parameter(
          "weight_value", declared_parameter({shape.groups * (shape.size / shape.heads), shape.annotation_size}))) {
    if (shape.output) {
        weight_output_ = register_parameter("weight_output", declared_parameter({shape.size, shape.size}));
    }
}

at::Tensor HeadsAttention::split(const at::Tensor& x, std::int64_t heads) const {
    return x.view({x.size(0), x.size(1), heads, -1}).transpose(1, 2);
}

AttentionMemory HeadsAttention::prepare(const EncoderOutput& encoded, const Execution& execution) const {
    return {split(affine(encoded.annotations, weight_key_, execution), shape_.groups).contiguous(),
            split(affine(encoded.annotations, weight_value_, execution), shape_.groups).contiguous(), encoded.mask,
            at::Tensor()};
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
