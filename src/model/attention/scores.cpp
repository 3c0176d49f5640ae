#include <algorithm>
#include <cstdint>
#include <limits>

#include "model/attention/mechanisms.h"
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
      weight_query_(declare("weight_query", {size, query_size}, Role::attention)),
      weight_key_(declare("weight_key", {size, annotation_size}, Role::attention)),
      weight_score_(declare("weight_score", {1, size}, Role::score)) {}

AttentionMemory AdditiveAttention::prepare(const Encoded& encoded, const Execution& execution) const {
    return {affine(encoded.annotations, weight_key_, execution), encoded.annotations, encoded.mask, encoded.lengths};
}

at::Tensor AdditiveAttention::scores(const at::Tensor& query, const AttentionMemory& memory,
                                     const Execution& execution) const {
    return scores_against(memory.keys, query, execution);
}

at::Tensor AdditiveAttention::scores_against(const at::Tensor& keys, const at::Tensor& query,
                                             const Execution& execution) const {
    return tanh_scores(affine(query, weight_query_, execution), keys, weight_score_);
}

AttentionWork AdditiveAttention::work(const BatchShape& on) const {
    return {flop(on.sources(), weight_key_),
            flop(on.targets(), weight_query_) + flop(on.pairs(), weight_score_) + averaging(on)};
}

bool AdditiveAttention::shares(const AttentionMemory& memory) const {
    return has_fused_form(memory.keys);
}

AttentionResult AdditiveAttention::compute(const at::Tensor& query, const AttentionMemory& memory,
                                           AttentionState& /*state*/, Weights /*weights*/,
                                           const Execution& execution) const {
    return tanh_attention(affine(query, weight_query_, execution), weight_score_,
                          {memory.keys, memory.values, memory.mask, memory.lengths, memory.rows});
}

CoverageAttention::CoverageAttention(CoverageType type, std::int64_t size, std::int64_t query_size,
                                     std::int64_t annotation_size)
    : AdditiveAttention(size, query_size, annotation_size),
      weight_coverage_(declare("weight_coverage", {size, 1}, Role::attention)) {
    if (type == CoverageType::fertility) {
        weight_fertility_ = declare("weight_fertility", {1, annotation_size}, Role::attention);
    }
}

// extra: the fertilities [B,S], where they are predicted.
AttentionMemory CoverageAttention::prepare(const Encoded& encoded, const Execution& execution) const {
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

// At the first step nothing is covered.
AttentionWork CoverageAttention::work(const BatchShape& on) const {
    AttentionWork work = AdditiveAttention::work(on);
    work.once += flop(on.sources(), weight_fertility_);
    work.steps += flop(std::max<std::int64_t>(on.pairs() - on.sources(), 0), weight_coverage_);
    return work;
}

AttentionMemory DotAttention::prepare(const Encoded& encoded, const Execution& /*execution*/) const {
    return {encoded.annotations, encoded.annotations, encoded.mask, encoded.lengths};
}

at::Tensor DotAttention::scores(const at::Tensor& query, const AttentionMemory& memory,
                                const Execution& /*execution*/) const {
    return at::bmm(query, memory.keys.transpose(1, 2));
}

AttentionWork DotAttention::work(const BatchShape& on) const {
    return {0.0, flop(on.pairs(), context_size()) + averaging(on)};
}

GeneralAttention::GeneralAttention(std::int64_t query_size, std::int64_t annotation_size)
    : ScoredAttention(annotation_size), weight_(declare("weight", {query_size, annotation_size}, Role::attention)) {}

AttentionMemory GeneralAttention::prepare(const Encoded& encoded, const Execution& execution) const {
    return {affine(encoded.annotations, weight_, execution), encoded.annotations, encoded.mask, encoded.lengths};
}

at::Tensor GeneralAttention::scores(const at::Tensor& query, const AttentionMemory& memory,
                                    const Execution& /*execution*/) const {
    return at::bmm(query, memory.keys.transpose(1, 2));
}

AttentionWork GeneralAttention::work(const BatchShape& on) const {
    return {flop(on.sources(), weight_), flop(on.pairs(), weight_.size(0)) + averaging(on)};
}

ConcatAttention::ConcatAttention(std::int64_t size, std::int64_t query_size, std::int64_t annotation_size)
    : ScoredAttention(annotation_size),
      query_size_(query_size),
      weight_(declare("weight", {size, query_size + annotation_size}, Role::attention_pair)),
      weight_score_(declare("weight_score", {1, size}, Role::score)) {}

AttentionMemory ConcatAttention::prepare(const Encoded& encoded, const Execution& execution) const {
    return {affine(encoded.annotations, weight_key(), execution), encoded.annotations, encoded.mask, encoded.lengths};
}

at::Tensor ConcatAttention::scores(const at::Tensor& query, const AttentionMemory& memory,
                                   const Execution& execution) const {
    return tanh_scores(affine(query, weight_query(), execution), memory.keys, weight_score_);
}

AttentionWork ConcatAttention::work(const BatchShape& on) const {
    return {flop(on.sources(), weight_key()),
            flop(on.targets(), weight_query()) + flop(on.pairs(), weight_score_) + averaging(on)};
}

LocationAttention::LocationAttention(std::int64_t positions, std::int64_t query_size, std::int64_t annotation_size)
    : ScoredAttention(annotation_size), weight_(declare("weight", {positions, query_size}, Role::attention)) {}

AttentionMemory LocationAttention::prepare(const Encoded& encoded, const Execution& /*execution*/) const {
    return {at::Tensor(), encoded.annotations, encoded.mask, encoded.lengths};
}

// Minus infinity from position P on, where the softmax then gives 0; the first position is always a token.
at::Tensor LocationAttention::scores(const at::Tensor& query, const AttentionMemory& memory,
                                     const Execution& execution) const {
    const std::int64_t length = memory.mask.size(1);
    const at::Tensor weight = weight_of(length);
    const at::Tensor scores = affine(query, weight, execution);
    return at::constant_pad_nd(scores, {0, length - weight.size(0)}, -std::numeric_limits<double>::infinity());
}

AttentionWork LocationAttention::work(const BatchShape& on) const {
    return {0.0, flop(on.targets(), weight_of(on.source)) + averaging(on)};
}

at::Tensor LocationAttention::weight_of(std::int64_t length) const {
    return weight_.narrow(0, 0, std::min(length, weight_.size(0)));
}

}  // namespace softalign
