#include <algorithm>
#include <cstdint>
#include <limits>

#include "model/affine.h"
#include "model/attention_mechanisms.h"
#include "model/parameter.h"

namespace softalign {

LocationAttention::LocationAttention(std::int64_t positions, std::int64_t query_size, std::int64_t annotation_size)
    : ScoredAttention(annotation_size),
      weight_(register_parameter("weight", zero_parameter({positions, query_size}))) {}

AttentionMemory LocationAttention::prepare(const EncoderOutput& encoded) const {
    return {at::Tensor(), encoded.annotations, encoded.mask, at::Tensor()};
}

// Minus infinity from position P on, where the softmax then gives 0; the first position is always a token.
at::Tensor LocationAttention::scores(const at::Tensor& query, const AttentionMemory& memory) const {
    const std::int64_t length = memory.mask.size(1);
    const std::int64_t scored = std::min(length, weight_.size(0));
    const at::Tensor scores = affine(query, weight_.narrow(0, 0, scored));
    return at::constant_pad_nd(scores, {0, length - scored}, -std::numeric_limits<double>::infinity());
}

}  // namespace softalign
