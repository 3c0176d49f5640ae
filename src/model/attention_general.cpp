#include <cstdint>

#include "model/affine.h"
#include "model/attention_mechanisms.h"
#include "model/parameter.h"

namespace softalign {

GeneralAttention::GeneralAttention(std::int64_t query_size, std::int64_t annotation_size)
    : ScoredAttention(annotation_size),
      weight_(register_parameter("weight", zero_parameter({query_size, annotation_size}))) {}

AttentionMemory GeneralAttention::prepare(const EncoderOutput& encoded) const {
    return {affine(encoded.annotations, weight_), encoded.annotations, encoded.mask, at::Tensor()};
}

at::Tensor GeneralAttention::scores(const at::Tensor& query, const AttentionMemory& memory) const {
    return at::bmm(query, memory.keys.transpose(1, 2));
}

}  // namespace softalign
