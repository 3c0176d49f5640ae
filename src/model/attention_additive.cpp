#include "model/attention_mechanisms.h"
#include "model/tanh_scores.h"

namespace softalign {

AdditiveAttention::AdditiveAttention(std::int64_t size, std::int64_t query_size, std::int64_t annotation_size)
    : weight_query_(register_parameter("weight_query", at::zeros({size, query_size}))),
      weight_key_(register_parameter("weight_key", at::zeros({size, annotation_size}))),
      weight_score_(register_parameter("weight_score", at::zeros({1, size}))) {}

AttentionMemory AdditiveAttention::prepare(const EncoderOutput& encoded) const {
    return {at::linear(encoded.annotations, weight_key_), encoded.annotations, encoded.mask};
}

AttentionResult AdditiveAttention::attend(const at::Tensor& query, const AttentionMemory& memory) const {
    return attend_with_scores(tanh_scores(at::linear(query, weight_query_), memory.keys, weight_score_), memory);
}

}  // namespace softalign
