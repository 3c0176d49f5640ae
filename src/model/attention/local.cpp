#include <cstdint>
#include <memory>
#include <utility>

#include "model/attention/mechanisms.h"
#include "ops/affine.h"
#include "ops/packed_rows.h"

namespace softalign {

LocalAttention::LocalAttention(std::shared_ptr<ScoredAttention> score, std::int64_t window)
    : Attention(score->context_size()),
      score_(add_part("score", std::move(score))),
      window_(static_cast<double>(window)) {}

// extra: the lengths of the sentences, [B,1].
AttentionMemory LocalAttention::prepare(const Encoded& encoded, const Execution& execution) const {
    AttentionMemory memory = score_->prepare(encoded, execution);
    memory.extra = length_column(encoded.lengths, encoded.annotations.options());
    return memory;
}

AttentionResult LocalAttention::compute(const at::Tensor& query, const AttentionMemory& memory, AttentionState& state,
                                        Weights /*weights*/, const Execution& execution) const {
    const at::Tensor positions = at::arange(memory.mask.size(1), memory.extra.options());
    const at::Tensor distances = positions - centres(query, memory.extra, state.position, execution);  // [B,Tq,S]
    const at::Tensor allowed = distances.detach().abs().le(window_).logical_and(memory.mask.unsqueeze(1));
    const at::Tensor weights =
        weigh_by_distance(masked_softmax(score_->scores(query, memory, execution), allowed), distances);
    return {at::bmm(weights, memory.values), weights};
}

MonotonicLocalAttention::MonotonicLocalAttention(std::shared_ptr<ScoredAttention> score, std::int64_t window)
    : LocalAttention(std::move(score), window) {}

at::Tensor MonotonicLocalAttention::centres(const at::Tensor& query, const at::Tensor& lengths, std::int64_t position,
                                            const Execution& /*execution*/) const {
    const at::Tensor steps = at::arange(position, position + query.size(1), lengths.options());
    return at::minimum(steps, lengths - 1).unsqueeze(2);
}

at::Tensor MonotonicLocalAttention::weigh_by_distance(const at::Tensor& weights,
                                                      const at::Tensor& /*distances*/) const {
    return weights;
}

PredictiveLocalAttention::PredictiveLocalAttention(std::shared_ptr<ScoredAttention> score, std::int64_t window,
                                                   std::int64_t query_size)
    : LocalAttention(std::move(score), window),
      weight_position_(declare("weight_position", {query_size, query_size}, Role::attention)),
      weight_predict_(declare("weight_predict", {1, query_size}, Role::attention)) {}

at::Tensor PredictiveLocalAttention::centres(const at::Tensor& query, const at::Tensor& lengths,
                                             std::int64_t /*position*/, const Execution& execution) const {
    const at::Tensor share =
        affine(affine(query, weight_position_, execution).tanh(), weight_predict_, execution).sigmoid();
    return share * lengths.unsqueeze(2);
}

AttentionWork PredictiveLocalAttention::work(const BatchShape& on) const {
    AttentionWork work = LocalAttention::work(on);
    work.steps += flop(on.targets(), weight_position_) + flop(on.targets(), weight_predict_);
    return work;
}

at::Tensor PredictiveLocalAttention::weigh_by_distance(const at::Tensor& weights, const at::Tensor& distances) const {
    const double deviation = window() / 2.0;
    return weights * (distances.square() * (-0.5 / (deviation * deviation))).exp();
}

}  // namespace softalign
