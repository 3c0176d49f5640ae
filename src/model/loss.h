#pragma once

#include <ATen/ATen.h>

#include <cstdint>

namespace softalign {

// Sums over the true target tokens of a batch, end-of-sentence included.
struct Loss {
    at::Tensor objective;          // scalar, what training minimises: cross-entropy with label smoothing, in nats
    at::Tensor negative_log_prob;  // scalar, detached: the same without smoothing
    std::int64_t tokens = 0;
    std::int64_t sentences = 0;
};

// Cross-entropy with label smoothing (Szegedy et al. 2016, section 7): the target distribution is
// (1 - epsilon) on the true word plus epsilon spread evenly over the vocabulary of V words. For one token with logits x
// and true word y: logsumexp(x) - (1 - epsilon) x_y - epsilon mean(x).
// logits [N,V] floating, targets [N] int64. Returns the sums over N as {objective, negative_log_prob}.
// The gradient, softmax(x) - (1 - epsilon) onehot(y) - epsilon/V, is written by hand: no second [N,V] tensor is kept.
struct CrossEntropy {
    at::Tensor objective;
    at::Tensor negative_log_prob;
};
CrossEntropy cross_entropy(const at::Tensor& logits, const at::Tensor& targets, double epsilon);

// The same with ATen's differentiable operations: the reference against which tests check the fast form.
CrossEntropy cross_entropy_plain(const at::Tensor& logits, const at::Tensor& targets, double epsilon);

}  // namespace softalign
