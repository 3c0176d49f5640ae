#include "model/attention_mechanisms.h"

namespace softalign {

AttentionMemory DotAttention::prepare(const EncoderOutput& encoded) const {
    return {encoded.annotations, encoded.annotations, encoded.mask, at::Tensor()};
}

at::Tensor DotAttention::scores(const at::Tensor& query, const AttentionMemory& memory) const {
    return at::bmm(query, memory.keys.transpose(1, 2));
}

}  // namespace softalign
