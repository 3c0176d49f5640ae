#include <cstdint>

#include "model/affine.h"
#include "model/attention_mechanisms.h"
#include "model/parameter.h"

namespace softalign {

CoverageAttention::CoverageAttention(CoverageType type, std::int64_t size, std::int64_t query_size,
                                     std::int64_t annotation_size)
    : AdditiveAttention(size, query_size, annotation_size),
      weight_coverage_(register_parameter("weight_coverage", zero_parameter({size, 1}))) {
    if (type == CoverageType::fertility) {
        weight_fertility_ = register_parameter("weight_fertility", zero_parameter({1, annotation_size}));
    }
}

// extra: the fertilities [B,S], where they are predicted.
AttentionMemory CoverageAttention::prepare(const EncoderOutput& encoded) const {
    AttentionMemory memory = AdditiveAttention::prepare(encoded);
    if (weight_fertility_.defined()) {
        memory.extra = 2.0 * affine(encoded.annotations, weight_fertility_).squeeze(2).sigmoid();
    }
    return memory;
}

AttentionResult CoverageAttention::compute(const at::Tensor& query, const AttentionMemory& memory,
                                           AttentionState& state, Weights /*weights*/) const {
    at::Tensor keys = memory.keys;
    if (state.coverage.defined()) {
        keys = keys + affine(state.coverage.unsqueeze(2), weight_coverage_);
    }
    const at::Tensor weights = masked_softmax(scores_against(keys, query), memory.mask.unsqueeze(1));  // [N,1,S]
    const at::Tensor gained = weights.squeeze(1);
    const at::Tensor counted = memory.extra.defined() ? gained / memory.extra : gained;
    state.coverage = state.coverage.defined() ? state.coverage + counted : counted;
    return {at::bmm(weights, memory.values), weights};
}

}  // namespace softalign
