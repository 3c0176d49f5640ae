#include <algorithm>
#include <cstdint>
#include <limits>

#include "model/attention/mechanisms.h"
#include "model/parameter.h"
#include "ops/affine.h"
#include "ops/attention.h"

namespace softalign {

AttentionResult ScoredAttention::compute(const at::Tensor& query, const AttentionMemory& memory,
                                         AttentionState& /*state*/, Weights /*weights*/,
                                         const Execution& execution) const {
    const at::Tensor weights = masked_softmax(scores(query, memory, execution), memory.mask.unsqueeze(1));
    return {at::bmm(weights, memory.values), weights};
}

AdditiveAttention::AdditiveAttention(std::int64_t size, std::int64_t query_size, std::int64_t annotation_size)
    : ScoredAttention(annotation_size),
      weight_query_(register_parameter("weight_query", declared_parameter({size, query_size}))),
      weight_key_(register_parameter("weight_key", declared_parameter({size, annotation_size}))),
      weight_score_(register_parameter("weight_score", declared_parameter({1, size}))) {}

AttentionMemory AdditiveAttention::prepare(const EncoderOutput& encoded, const Execution& execution) const {
    return {affine(encoded.annotations, weight_key_, execution), encoded.annotations, encoded.mask, at::Tensor()};
}

at::Tensor AdditiveAttention::scores(const at::Tensor& query, const AttentionMemory& memory,
                                     const Execution& execution) const {
    return scores_against(memory.keys, query, execution);
}

at::Tensor AdditiveAttention::scores_against(const at::Tensor& keys, const at::Tensor& query,
                                             const Execution& execution) const {
    return tanh_scores(affine(query, weight_query_, execution), keys, weight_score_);
}

bool AdditiveAttention::shares(const AttentionMemory& memory) const {
    return has_fused_form(memory.keys);
}

AttentionResult AdditiveAttention::compute(const at::Tensor& query, const AttentionMemory& memory,
                                           AttentionState& /*state*/, Weights /*weights*/,
                                           const Execution& execution) const {
    return tanh_attention(affine(query, weight_query_, execution), weight_score_,
                          {memory.keys, memory.values, memory.mask, memory.rows});
}

CoverageAttention::CoverageAttention(CoverageType type, std::int64_t size, std::int64_t query_size,
                                     std::int64_t annotation_size)
    : AdditiveAttention(size, query_size, annotation_size),
      weight_coverage_(register_parameter("weight_coverage", declared_parameter({size, 1}))) {
    if (type == CoverageType::fertility) {
        weight_fertility_ = register_parameter("weight_fertility", declared_parameter({1, annotation_size}));
    }
}

// extra: the fertilities [B,S], where they are predicted.
AttentionMemory CoverageAttention::prepare(const EncoderOutput& encoded, const Execution& execution) const {
    AttentionMemory memory = AdditiveAttention::prepare(encoded, execution);
    if (weight_fertility_.defined()) {
        memory.extra = 2.0 * affine(encoded.annotations, weight_fertility_, execution).squeeze(2).sigmoid();
    }
    return memory;
}

AttentionResult CoverageAttention::compute(const at::Tensor& query, const AttentionMemory& memory,
                                           AttentionState& state, Weights /*weights*/,
                                           const Execution& execution) const {
    at::Tensor keys = memory.keys;
    if (state.coverage.defined()) {
        keys = keys + affine(state.coverage.unsqueeze(2), weight_coverage_, execution);
    }
    const at::Tensor weights =
        masked_softmax(scores_against(keys, query, execution), memory.mask.unsqueeze(1));  // [N,1,S]
    const at::Tensor gained = weights.squeeze(1);
    const at::Tensor counted = memory.extra.defined() ? gained / memory.extra : gained;
    state.coverage = state.coverage.defined() ? state.coverage + counted : counted;
    return {at::bmm(weights, memory.values), weights};
}

AttentionMemory DotAttention::prepare(const EncoderOutput& encoded, const Execution& /*execution*/) const {
    return {encoded.annotations, encoded.annotations, encoded.mask, at::Tensor()};
}

at::Tensor DotAttention::scores(const at::Tensor& query, const AttentionMemory& memory,
                                const Execution& /*execution*/) const {
    return at::bmm(query, memory.keys.transpose(1, 2));
}

GeneralAttention::GeneralAttention(std::int64_t query_size, std::int64_t annotation_size)
    : ScoredAttention(annotation_size),
      weight_(register_parameter("weight", declared_parameter({query_size, annotation_size}))) {}

AttentionMemory GeneralAttention::prepare(const EncoderOutput& encoded, const Execution& execution) const {
    return {affine(encoded.annotations, weight_, execution), encoded.annotations, encoded.mask, at::Tensor()};
}

at::Tensor GeneralAttention::scores(const at::Tensor& query, const AttentionMemory& memory,
                                    const Execution& /*execution*/) const {
    return at::bmm(query, memory.keys.transpose(1, 2));
}

ConcatAttention::ConcatAttention(std::int64_t size, std::int64_t query_size, std::int64_t annotation_size)
    : ScoredAttention(annotation_size),
      query_size_(query_size),
      weight_(register_parameter("weight", declared_parameter({size, query_size + annotation_size}))),
      weight_score_(register_parameter("weight_score", declared_parameter({1, size}))) {}

AttentionMemory ConcatAttention::prepare(const EncoderOutput& encoded, const Execution& execution) const {
    const at::Tensor weight_key = weight_.narrow(1, query_size_, weight_.size(1) - query_size_);
    return {affine(encoded.annotations, weight_key, execution), encoded.annotations, encoded.mask, at::Tensor()};
}

at::Tensor ConcatAttention::scores(const at::Tensor& query, const AttentionMemory& memory,
                                   const Execution& execution) const {
    return tanh_scores(affine(query, weight_.narrow(1, 0, query_size_), execution), memory.keys, weight_score_);
}

LocationAttention::LocationAttention(std::int64_t positions, std::int64_t query_size, std::int64_t annotation_size)
    : ScoredAttention(annotation_size),
      weight_(register_parameter("weight", declared_parameter({positions, query_size}))) {}

AttentionMemory LocationAttention::prepare(const EncoderOutput& encoded, const Execution& /*execution*/) const {
    return {at::Tensor(), encoded.annotations, encoded.mask, at::Tensor()};
}

// Minus infinity from position P on, where the softmax then gives 0; the first position is always a token.
at::Tensor LocationAttention::scores(const at::Tensor& query, const AttentionMemory& memory,
                                     const Execution& execution) const {
    const std::int64_t length = memory.mask.size(1);
    const std::int64_t scored = std::min(length, weight_.size(0));
    const at::Tensor scores = affine(query, weight_.narrow(0, 0, scored), execution);
    return at::constant_pad_nd(scores, {0, length - scored}, -std::numeric_limits<double>::infinity());
}

}  // namespace softalign
