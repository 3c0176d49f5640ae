#include "model/attention/attention.h"

#include <cstdint>
#include <memory>

#include "model/attention/mechanisms.h"
#include "ops/to_device.h"

namespace softalign {

namespace {

HeadsShape heads_shape(const AttentionConfig& config, std::int64_t query_size, std::int64_t annotation_size) {
    HeadsShape shape;
    shape.query_size = query_size;
    shape.annotation_size = annotation_size;
    shape.size = config.size;
    shape.heads = config.type == AttentionType::scaled_dot ? 1 : config.heads;
    shape.groups = config.type == AttentionType::multi_head      ? shape.heads
                   : config.type == AttentionType::grouped_query ? config.groups
                                                                 : 1;
    shape.output = config.type != AttentionType::scaled_dot;
    return shape;
}

}  // namespace

// `rows` are those of this memory, this->rows the sentences that they read.
AttentionMemory AttentionMemory::select(const at::Tensor& rows) const {
    const at::Tensor sentences = this->rows.defined() ? select_rows(this->rows, rows) : rows;
    const at::Tensor there = to_device(sentences, mask.device());
    return {select_rows(keys, there), select_rows(values, there), select_rows(mask, there),
            select_rows(lengths, sentences), select_rows(extra, there)};
}

AttentionMemory AttentionMemory::shared(const at::Tensor& rows) const {
    AttentionMemory result = *this;
    result.rows = this->rows.defined() ? select_rows(this->rows, rows) : rows;
    return result;
}

AttentionMemory AttentionMemory::first(std::int64_t count) const {
    return {first_rows(keys, count),
            first_rows(values, count),
            first_rows(mask, count),
            {lengths.begin(), lengths.begin() + count},
            first_rows(extra, count)};
}

AttentionState AttentionState::select(const at::Tensor& rows) const {
    return {position, select_rows(coverage, rows)};
}

AttentionResult Attention::attend(const at::Tensor& query, const AttentionMemory& memory, AttentionState& state,
                                  Weights weights, const Execution& execution) const {
    AttentionResult result = compute(query, memory, state, weights, execution);
    state.position += query.size(1);
    return result;
}

AttentionMemory NoAttention::prepare(const Encoded& encoded, const Execution& /*execution*/) const {
    return {at::Tensor(), encoded.summary.last, encoded.mask, encoded.lengths};
}

AttentionResult NoAttention::compute(const at::Tensor& query, const AttentionMemory& memory, AttentionState& /*state*/,
                                     Weights /*weights*/, const Execution& /*execution*/) const {
    return {memory.values.unsqueeze(1).expand({-1, query.size(1), -1}), at::Tensor()};
}

std::shared_ptr<ScoredAttention> make_score(ScoreType type, std::int64_t size, std::int64_t query_size,
                                            std::int64_t annotation_size) {
    switch (type) {
        case ScoreType::additive:
            return std::make_shared<AdditiveAttention>(size, query_size, annotation_size);
        case ScoreType::dot:
            return std::make_shared<DotAttention>(annotation_size);
        case ScoreType::general:
            return std::make_shared<GeneralAttention>(query_size, annotation_size);
        case ScoreType::concat:
            break;
    }
    return std::make_shared<ConcatAttention>(size, query_size, annotation_size);
}

std::shared_ptr<Attention> make_attention(const AttentionConfig& config, std::int64_t query_size,
                                          std::int64_t annotation_size) {
    switch (config.type) {
        case AttentionType::additive:
            if (config.coverage != CoverageType::none) {
                return std::make_shared<CoverageAttention>(config.coverage, config.size, query_size, annotation_size);
            }
            return make_score(ScoreType::additive, config.size, query_size, annotation_size);
        case AttentionType::dot:
            return make_score(ScoreType::dot, config.size, query_size, annotation_size);
        case AttentionType::general:
            return make_score(ScoreType::general, config.size, query_size, annotation_size);
        case AttentionType::concat:
            return make_score(ScoreType::concat, config.size, query_size, annotation_size);
        case AttentionType::location:
            return std::make_shared<LocationAttention>(config.positions, query_size, annotation_size);
        case AttentionType::local_m:
            return std::make_shared<MonotonicLocalAttention>(
                make_score(config.score, config.size, query_size, annotation_size), config.window);
        case AttentionType::local_p:
            return std::make_shared<PredictiveLocalAttention>(
                make_score(config.score, config.size, query_size, annotation_size), config.window, query_size);
        case AttentionType::scaled_dot:
        case AttentionType::multi_head:
        case AttentionType::multi_query:
        case AttentionType::grouped_query:
            return std::make_shared<HeadsAttention>(heads_shape(config, query_size, annotation_size));
        case AttentionType::none:
            break;
    }
    return std::make_shared<NoAttention>(annotation_size);
}

}  // namespace softalign
