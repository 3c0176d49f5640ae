#include "model/affine.h"
#include "model/attention_mechanisms.h"
#include "model/tanh_scores.h"

namespace softalign {

AdditiveAttention::AdditiveAttention(std::int64_t size, std::int64_t query_size, std::int64_t annotation_size)
    : ScoredAttention(annotation_size),
      weight_query_(register_parameter("weight_query", at::zeros({size, query_size}))),
      weight_key_(register_parameter("weight_key", at::zeros({size, annotation_size}))),
      weight_score_(register_parameter("weight_score", at::zeros({1, size}))) {}

AttentionMemory AdditiveAttention::prepare(const EncoderOutput& encoded) const {
    return {affine(encoded.annotations, weight_key_), encoded.annotations, encoded.mask, at::Tensor()};
}

at::Tensor AdditiveAttention::scores(const at::Tensor& query, const AttentionMemory& memory) const {
    return scores_against(memory.keys, query);
}

at::Tensor AdditiveAttention::scores_against(const at::Tensor& keys, const at::Tensor& query) const {
    return tanh_scores(affine(query, weight_query_), keys, weight_score_);
}

}  // namespace softalign
