#pragma once

#include <ATen/ATen.h>

#include <utility>

#include "ops/execution.h"
#include "ops/output_layer.h"

namespace softalign {

// Label smoothing (Szegedy et al. 2016, section 7): the target distribution is (1 - epsilon) on the true word plus
// epsilon times `spread`.
struct Smoothing {
    double epsilon = 0.0;
    at::Tensor spread;  // [V] probabilities, of the type of the logits; undefined: even

    Smoothing(double mass, at::Tensor over = at::Tensor()) : epsilon(mass), spread(std::move(over)) {}  // NOLINT
};

struct RDrop {
    Smoothing smoothing;
    double alpha;
};

// Cross-entropy with label smoothing. For one token with logits x and true word y:
// logsumexp(x) - (1 - epsilon) x_y - epsilon spread^T x.
// logits [N,V] floating, targets [N] int64. Returns the sums over N as {objective, negative_log_prob}.
// The gradient, softmax(x) - (1 - epsilon) onehot(y) - epsilon spread, is written by hand: no second [N,V] tensor is
// kept.
struct CrossEntropy {
    at::Tensor objective;
    at::Tensor negative_log_prob;
};
CrossEntropy cross_entropy(const at::Tensor& logits, const at::Tensor& targets, const Smoothing& smoothing);

// The output layer and the cross-entropy of its logits in one: readouts [P,R], or [P,R+R'] for a layer with a second
// matrix, targets [P] int64. Where has_fused_form(), words are processed in groups, so the logits are never all in
// memory, and a group's logits are overwritten by their gradient; elsewhere it is the layer, then cross_entropy.
CrossEntropy output_loss(const at::Tensor& readouts, const OutputLayer& layer, const at::Tensor& targets,
                         const Smoothing& smoothing, const Execution& execution);

// The same with a weight for each word, of any sign and without smoothing: the sum over the words of w_i times the
// negative log-probability, a scalar. weights [P] floating.
at::Tensor weighted_output_loss(const at::Tensor& readouts, const OutputLayer& layer, const at::Tensor& targets,
                                const at::Tensor& weights, const Execution& execution);

// The same as output_loss for words that the model passed twice with other dropout: readouts [2P,·] and targets [2P],
// the two passes of a word next to each other. The sums over the P words of the objective of R-Drop (Liang et al. 2021,
// equations 2 to 4), 1/2 (cross-entropy of both, summed + alpha/2 (KL(P1||P2) + KL(P2||P1))), and of the mean negative
// log-probability. The logits are never all in memory, on any device.
CrossEntropy r_drop_loss(const at::Tensor& readouts, const OutputLayer& layer, const at::Tensor& targets,
                         const RDrop& objective, const Execution& execution);

// The same of logits [2P,V] with ATen's differentiable operations: what devices without fused forms compute, and what
// tests compare the fused form with.
CrossEntropy r_drop_plain(const at::Tensor& logits, const at::Tensor& targets, const RDrop& objective);

// logits [N,V] -> log-probabilities, in float32; the logits are used up.
at::Tensor log_softmax(at::Tensor logits);

}  // namespace softalign
