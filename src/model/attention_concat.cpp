#include <cstdint>

#include "model/affine.h"
#include "model/attention_mechanisms.h"
#include "model/parameter.h"
#include "model/tanh_scores.h"

namespace softalign {

ConcatAttention::ConcatAttention(std::int64_t size, std::int64_t query_size, std::int64_t annotation_size)
    : ScoredAttention(annotation_size),
      query_size_(query_size),
      weight_(register_parameter("weight", zero_parameter({size, query_size + annotation_size}))),
      weight_score_(register_parameter("weight_score", zero_parameter({1, size}))) {}

AttentionMemory ConcatAttention::prepare(const EncoderOutput& encoded) const {
    const at::Tensor weight_key = weight_.narrow(1, query_size_, weight_.size(1) - query_size_);
    return {affine(encoded.annotations, weight_key), encoded.annotations, encoded.mask, at::Tensor()};
}

at::Tensor ConcatAttention::scores(const at::Tensor& query, const AttentionMemory& memory) const {
    return tanh_scores(affine(query, weight_.narrow(1, 0, query_size_)), memory.keys, weight_score_);
}

}  // namespace softalign
