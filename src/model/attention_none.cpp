#include "model/attention_mechanisms.h"

namespace softalign {

AttentionMemory NoAttention::prepare(const EncoderOutput& encoded) const {
    return {at::Tensor(), encoded.last, encoded.mask, at::Tensor()};
}

AttentionResult NoAttention::compute(const at::Tensor& query, const AttentionMemory& memory, AttentionState& /*state*/,
                                     Weights /*weights*/) const {
    return {memory.values.unsqueeze(1).expand({-1, query.size(1), -1}), at::Tensor()};
}

}  // namespace softalign
