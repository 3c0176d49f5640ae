#pragma once

#include <cstdint>
#include <memory>

#include "model/attention/attention.h"
#include "ops/heads_attention.h"

namespace softalign {

// A mechanism defined by a score: softmax over the true positions, then the weighted mean of the annotations.
class ScoredAttention : public Attention {
public:
    // [B,Tq,Q] -> [B,Tq,S]; arbitrary values at padding.
    virtual at::Tensor scores(const at::Tensor& query, const AttentionMemory& memory,
                              const Execution& execution) const = 0;

protected:
    explicit ScoredAttention(std::int64_t annotation_size) : Attention(annotation_size) {}

    // The products of the weighted means.
    double averaging(const BatchShape& on) const { return flop(on.pairs(), context_size()); }

    AttentionResult compute(const at::Tensor& query, const AttentionMemory& memory, AttentionState& state,
                            Weights weights, const Execution& execution) const override;
};

// Bahdanau et al. 2014, section 3.1 and appendix A.1.2: e_ij = v' tanh(W s_{i-1} + U h_j).
// U h_j is computed once per sentence.
class AdditiveAttention : public ScoredAttention {
public:
    AdditiveAttention(std::int64_t size, std::int64_t query_size, std::int64_t annotation_size);
    AttentionMemory prepare(const Encoded& encoded, const Execution& execution) const override;
    at::Tensor scores(const at::Tensor& query, const AttentionMemory& memory,
                      const Execution& execution) const override;
    AttentionWork work(const BatchShape& on) const override;

    bool shares(const AttentionMemory& memory) const override;

    const at::Tensor& weight_query() const { return weight_query_; }
    const at::Tensor& weight_score() const { return weight_score_; }

protected:
    // The same with the caller's keys [B,S,A].
    at::Tensor scores_against(const at::Tensor& keys, const at::Tensor& query, const Execution& execution) const;

    AttentionResult compute(const at::Tensor& query, const AttentionMemory& memory, AttentionState& state,
                            Weights weights, const Execution& execution) const override;

private:
    at::Tensor weight_query_;  // W [A,Q]
    at::Tensor weight_key_;    // U [A,D]
    at::Tensor weight_score_;  // v [1,A]
};

// Tu et al. 2016, linguistic coverage: e_ij = v' tanh(W s_{i-1} + U h_j + v_c k_{i-1,j}),
// k_ij = k_{i-1,j} + alpha_ij / Phi_j, k_0j = 0. Phi_j = 1 (sum), or the fertility 2 sigma(u_f' h_j).
class CoverageAttention : public AdditiveAttention {
public:
    CoverageAttention(CoverageType type, std::int64_t size, std::int64_t query_size, std::int64_t annotation_size);
    AttentionMemory prepare(const Encoded& encoded, const Execution& execution) const override;
    bool sequential() const override { return true; }
    bool shares(const AttentionMemory& /*memory*/) const override { return false; }
    AttentionWork work(const BatchShape& on) const override;

private:
    AttentionResult compute(const at::Tensor& query, const AttentionMemory& memory, AttentionState& state,
                            Weights weights, const Execution& execution) const override;

    at::Tensor weight_coverage_;   // v_c [A,1]
    at::Tensor weight_fertility_;  // u_f [1,D]; undefined for `sum`
};

// Luong et al. 2015, section 3.1, dot: e_ts = h_t' h_s.
class DotAttention : public ScoredAttention {
public:
    explicit DotAttention(std::int64_t annotation_size) : ScoredAttention(annotation_size) {}
    AttentionMemory prepare(const Encoded& encoded, const Execution& execution) const override;
    at::Tensor scores(const at::Tensor& query, const AttentionMemory& memory,
                      const Execution& execution) const override;
    AttentionWork work(const BatchShape& on) const override;
};

// Luong et al. 2015, section 3.1, general: e_ts = h_t' W h_s. W h_s is computed once per sentence.
class GeneralAttention : public ScoredAttention {
public:
    GeneralAttention(std::int64_t query_size, std::int64_t annotation_size);
    AttentionMemory prepare(const Encoded& encoded, const Execution& execution) const override;
    at::Tensor scores(const at::Tensor& query, const AttentionMemory& memory,
                      const Execution& execution) const override;
    AttentionWork work(const BatchShape& on) const override;

private:
    at::Tensor weight_;  // W [Q,D]
};

// Luong et al. 2015, section 3.1, concat: e_ts = v' tanh(W [h_t ; h_s]). The half of W that belongs to h_s is applied
// once per sentence.
class ConcatAttention : public ScoredAttention {
public:
    ConcatAttention(std::int64_t size, std::int64_t query_size, std::int64_t annotation_size);
    AttentionMemory prepare(const Encoded& encoded, const Execution& execution) const override;
    at::Tensor scores(const at::Tensor& query, const AttentionMemory& memory,
                      const Execution& execution) const override;
    AttentionWork work(const BatchShape& on) const override;

private:
    at::Tensor weight_query() const { return weight_.narrow(1, 0, query_size_); }
    at::Tensor weight_key() const { return weight_.narrow(1, query_size_, weight_.size(1) - query_size_); }

    std::int64_t query_size_;
    at::Tensor weight_;        // W [A,Q+D]
    at::Tensor weight_score_;  // v [1,A]
};

// Luong et al. 2015, equation 8, location: a_t = softmax(W h_t) over the first P positions; those beyond get no weight.
class LocationAttention : public ScoredAttention {
public:
    LocationAttention(std::int64_t positions, std::int64_t query_size, std::int64_t annotation_size);
    AttentionMemory prepare(const Encoded& encoded, const Execution& execution) const override;
    at::Tensor scores(const at::Tensor& query, const AttentionMemory& memory,
                      const Execution& execution) const override;
    AttentionWork work(const BatchShape& on) const override;

private:
    at::Tensor weight_of(std::int64_t length) const;  // the rows of W for a source of that length

    at::Tensor weight_;  // W [P,Q]
};

// Luong et al. 2015, section 3.2: the softmax of a score over the true positions s with |s - p_t| <= D, counted from 0.
// The two subclasses below define p_t. `score` is a submodule.
class LocalAttention : public Attention {
public:
    AttentionMemory prepare(const Encoded& encoded, const Execution& execution) const override;
    AttentionWork work(const BatchShape& on) const override { return score_->work(on); }

protected:
    LocalAttention(std::shared_ptr<ScoredAttention> score, std::int64_t window);
    double window() const { return window_; }

private:
    AttentionResult compute(const at::Tensor& query, const AttentionMemory& memory, AttentionState& state,
                            Weights weights, const Execution& execution) const override;
    // p_t for queries [B,Tq,Q], the first at target step `position`; lengths [B,1] of the sentences. -> [B or 1,Tq,1].
    virtual at::Tensor centres(const at::Tensor& query, const at::Tensor& lengths, std::int64_t position,
                               const Execution& execution) const = 0;
    // Scales the weights in the window according to s - p_t [B,Tq,S].
    virtual at::Tensor weigh_by_distance(const at::Tensor& weights, const at::Tensor& distances) const = 0;

    std::shared_ptr<ScoredAttention> score_;
    double window_;
};

// local-m: p_t = t, or the last position of the source once t is beyond it, so that the window is never
// empty.
class MonotonicLocalAttention : public LocalAttention {
public:
    MonotonicLocalAttention(std::shared_ptr<ScoredAttention> score, std::int64_t window);

private:
    at::Tensor centres(const at::Tensor& query, const at::Tensor& lengths, std::int64_t position,
                       const Execution& execution) const override;
    at::Tensor weigh_by_distance(const at::Tensor& weights, const at::Tensor& distances) const override;
};

// local-p: p_t = S sigma(v' tanh(W h_t)) (equation 9), S the length of the sentence; the weights are multiplied
// by exp(-(s - p_t)^2 / (2 (D/2)^2)) (equation 10) and not normalised again.
class PredictiveLocalAttention : public LocalAttention {
public:
    PredictiveLocalAttention(std::shared_ptr<ScoredAttention> score, std::int64_t window, std::int64_t query_size);
    AttentionWork work(const BatchShape& on) const override;

private:
    at::Tensor centres(const at::Tensor& query, const at::Tensor& lengths, std::int64_t position,
                       const Execution& execution) const override;
    at::Tensor weigh_by_distance(const at::Tensor& weights, const at::Tensor& distances) const override;

    at::Tensor weight_position_;  // W [Q,Q]
    at::Tensor weight_predict_;   // v [1,Q]
};

struct HeadsShape {
    std::int64_t query_size = 0;       // Q
    std::int64_t annotation_size = 0;  // D
    std::int64_t size = 0;             // A, over all heads
    std::int64_t heads = 1;            // h, divides A
    std::int64_t groups = 1;           // g, divides h
    bool output = true;                // whether W_O mixes the heads' contexts
    bool causal = false;               // target step t sees positions s <= t
    Role role = Role::attention;       // of the matrices
};

// Scaled dot-product attention with h query heads and g key and value heads, where head i reads key and value head
// floor(i g / h): for each head softmax(q K' / sqrt(A/h)) V, all concatenated, times W_O.
//   scaled_dot (Vaswani et al. 2017, equation 1): h = g = 1, without W_O;
//   multi_head (the same, section 3.2.2): g = h;
//   multi_query (Shazeer 2019): g = 1;
//   grouped_query (Ainslie et al. 2023): 1 <= g <= h.
// Keys and values are computed once per sentence. Where has_fused_form(), flash attention (ops/heads_attention.h) is
// used, unless gradients of the weights are recorded; elsewhere LibTorch's fused operation, from version 2.0 on, if the
// weights are not wanted.
class HeadsAttention : public Attention {
public:
    explicit HeadsAttention(const HeadsShape& shape);
    AttentionMemory prepare(const Encoded& encoded, const Execution& execution) const override;
    AttentionWork work(const BatchShape& on) const override;
    bool shares(const AttentionMemory& memory) const override;

private:
    AttentionResult compute(const at::Tensor& query, const AttentionMemory& memory, AttentionState& state,
                            Weights weights, const Execution& execution) const override;
    // The two forms of it: the context before W_O from the queries [B,Tq,A].
    AttentionResult fused(const at::Tensor& queries, const AttentionMemory& memory, std::int64_t position,
                          Weights weights) const;
    AttentionResult plain(const at::Tensor& projected, const AttentionMemory& memory, std::int64_t position,
                          Weights weights) const;
    Sequences sequences(const AttentionMemory& memory, std::int64_t rows, std::int64_t steps,
                        std::int64_t position) const;
    at::Tensor split(const at::Tensor& x, std::int64_t heads) const;  // [B,L,n*a] -> [B,n,L,a]
    at::Tensor allowed(const at::Tensor& mask, std::int64_t steps, std::int64_t position) const;

    HeadsShape shape_;
    at::Tensor weight_query_;   // W_Q [A,Q]
    at::Tensor weight_key_;     // W_K [g*A/h,D]
    at::Tensor weight_value_;   // W_V [g*A/h,D]
    at::Tensor weight_output_;  // W_O [A,A]; undefined if not used
};

// No attention (RNNenc, Cho et al. 2014): the context of every step is the encoder's last state.
class NoAttention : public Attention {
public:
    explicit NoAttention(std::int64_t annotation_size) : Attention(annotation_size) {}
    AttentionMemory prepare(const Encoded& encoded, const Execution& execution) const override;
    AttentionWork work(const BatchShape& /*on*/) const override { return {}; }
    bool has_weights() const override { return false; }

private:
    AttentionResult compute(const at::Tensor& query, const AttentionMemory& memory, AttentionState& state,
                            Weights weights, const Execution& execution) const override;
};

// Makes a score by its name. size is A of additive and concat.
std::shared_ptr<ScoredAttention> make_score(ScoreType type, std::int64_t size, std::int64_t query_size,
                                            std::int64_t annotation_size);

}  // namespace softalign
