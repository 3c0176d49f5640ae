#pragma once

#include "model/attention.h"

namespace softalign {

// Bahdanau et al. 2014, section 3.1 and appendix A.1.2: e_ij = v' tanh(W s_{i-1} + U h_j).
// U h_j is computed once a sentence.
class AdditiveAttention : public Attention {
public:
    AdditiveAttention(std::int64_t size, std::int64_t query_size, std::int64_t annotation_size);
    AttentionMemory prepare(const EncoderOutput& encoded) const override;
    AttentionResult attend(const at::Tensor& query, const AttentionMemory& memory) const override;

private:
    at::Tensor weight_query_;  // W [A,Q]
    at::Tensor weight_key_;    // U [A,D]
    at::Tensor weight_score_;  // v [1,A]
};

// Luong et al. 2015, equation 8, dot: e_ts = h_t' h_s.
class DotAttention : public Attention {
public:
    AttentionMemory prepare(const EncoderOutput& encoded) const override;
    AttentionResult attend(const at::Tensor& query, const AttentionMemory& memory) const override;
};

// Luong et al. 2015, equation 8, general: e_ts = h_t' W h_s. W h_s is computed once a sentence.
class GeneralAttention : public Attention {
public:
    GeneralAttention(std::int64_t query_size, std::int64_t annotation_size);
    AttentionMemory prepare(const EncoderOutput& encoded) const override;
    AttentionResult attend(const at::Tensor& query, const AttentionMemory& memory) const override;

private:
    at::Tensor weight_;  // W [Q,D]
};

// Luong et al. 2015, equation 8, concat: e_ts = v' tanh(W [h_t ; h_s]). The half of W that belongs to h_s is applied
// once a sentence.
class ConcatAttention : public Attention {
public:
    ConcatAttention(std::int64_t size, std::int64_t query_size, std::int64_t annotation_size);
    AttentionMemory prepare(const EncoderOutput& encoded) const override;
    AttentionResult attend(const at::Tensor& query, const AttentionMemory& memory) const override;

private:
    std::int64_t query_size_;
    at::Tensor weight_;        // W [A,Q+D]
    at::Tensor weight_score_;  // v [1,A]
};

// No attention (RNNenc, Cho et al. 2014): the context of every step is the encoder's last state.
class NoAttention : public Attention {
public:
    AttentionMemory prepare(const EncoderOutput& encoded) const override;
    AttentionResult attend(const at::Tensor& query, const AttentionMemory& memory) const override;
};

}  // namespace softalign
