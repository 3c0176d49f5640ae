#include "model/attention_mechanisms.h"

namespace softalign {

AttentionMemory DotAttention::prepare(const EncoderOutput& encoded) const {
    return {encoded.annotations, encoded.annotations, encoded.mask};
}

AttentionResult DotAttention::attend(const at::Tensor& query, const AttentionMemory& memory) const {
    return attend_with_scores(at::bmm(query, memory.keys.transpose(1, 2)), memory);
}

}  // namespace softalign
