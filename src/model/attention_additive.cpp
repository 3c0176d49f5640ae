#include <ATen/Dispatch.h>

#include <cstdint>

#include "kernels/additive_attention.h"
#include "model/affine.h"
#include "model/attention_mechanisms.h"
#include "model/parameter.h"
#include "model/tanh_scores.h"

namespace softalign {

namespace {

// Softmax of the scores and the weighted mean for every query [N,Tq,A], which reads the sentence that memory.rows says.
template <typename T>
void look(const at::Tensor& queries, const at::Tensor& v, const AttentionMemory& memory, const at::Tensor& keys,
          const at::Tensor& values, AttentionResult& result) {
    const at::Tensor counted = memory.mask.sum(1);
    const auto* lengths = counted.data_ptr<std::int64_t>();
    const std::int64_t* row = memory.rows.defined() ? memory.rows.data_ptr<std::int64_t>() : nullptr;
    const std::int64_t steps = queries.size(1);
    for (std::int64_t i = 0; i < queries.size(0) * steps; ++i) {
        const std::int64_t sentence = row != nullptr ? row[i / steps] : i / steps;
        const AdditiveSource<T> source{keys.data_ptr<T>() + sentence * keys.size(1) * keys.size(2),
                                       values.data_ptr<T>() + sentence * values.size(1) * values.size(2),
                                       lengths[sentence], keys.size(2), values.size(2)};
        additive_attention(queries.data_ptr<T>() + i * keys.size(2), source, v.data_ptr<T>(),
                           result.weights.data_ptr<T>() + i * keys.size(1),
                           result.context.data_ptr<T>() + i * values.size(2));
    }
}

}  // namespace

AdditiveAttention::AdditiveAttention(std::int64_t size, std::int64_t query_size, std::int64_t annotation_size)
    : ScoredAttention(annotation_size),
      weight_query_(register_parameter("weight_query", zero_parameter({size, query_size}))),
      weight_key_(register_parameter("weight_key", zero_parameter({size, annotation_size}))),
      weight_score_(register_parameter("weight_score", zero_parameter({1, size}))) {}

AttentionMemory AdditiveAttention::prepare(const EncoderOutput& encoded) const {
    return {affine(encoded.annotations, weight_key_), encoded.annotations, encoded.mask, at::Tensor()};
}

at::Tensor AdditiveAttention::scores(const at::Tensor& query, const AttentionMemory& memory) const {
    return scores_against(memory.keys, query);
}

at::Tensor AdditiveAttention::scores_against(const at::Tensor& keys, const at::Tensor& query) const {
    return tanh_scores(affine(query, weight_query_), keys, weight_score_);
}

bool AdditiveAttention::shares(const AttentionMemory& memory) const {
    return memory.mask.device().is_cpu();
}

AttentionResult AdditiveAttention::compute(const at::Tensor& query, const AttentionMemory& memory,
                                           AttentionState& state, Weights weights) const {
    if (at::GradMode::is_enabled() || !memory.mask.device().is_cpu()) {
        return ScoredAttention::compute(query, memory, state, weights);
    }
    const at::Tensor queries = affine(query, weight_query_).contiguous();
    const at::Tensor keys = memory.keys.contiguous();
    const at::Tensor values = memory.values.contiguous();
    AttentionResult result{at::empty({query.size(0), query.size(1), values.size(2)}, values.options()),
                           at::zeros({query.size(0), query.size(1), keys.size(1)}, keys.options())};
    AT_DISPATCH_FLOATING_TYPES(queries.scalar_type(), "additive attention",
                               [&] { look<scalar_t>(queries, weight_score_, memory, keys, values, result); });
    return result;
}

}  // namespace softalign
