#include "model/attention_mechanisms.h"

namespace softalign {

AttentionResult ScoredAttention::compute(const at::Tensor& query, const AttentionMemory& memory,
                                         AttentionState& /*state*/, Weights /*weights*/) const {
    const at::Tensor weights = masked_softmax(scores(query, memory), memory.mask.unsqueeze(1));
    return {at::bmm(weights, memory.values), weights};
}

}  // namespace softalign
