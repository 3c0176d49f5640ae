#include "model/attention_mechanisms.h"

namespace softalign {

at::Tensor tanh_scores(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& v) {
    const at::Tensor hidden = (queries.unsqueeze(2) + keys.unsqueeze(1)).tanh();  // [B,Tq,S,A]
    return at::linear(hidden, v).squeeze(3);
}

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
