#pragma once

#include <cstdint>

namespace softalign {

// The loss of one word, in nats: the training objective with label smoothing, and the negative log-probability.
struct WordLoss {
    double objective;
    double negative_log_prob;
};

// Cross-entropy with label smoothing of one word (ops/loss.h) from its logits [V]. Replaces the logits with the
// gradient of the objective with respect to them: softmax(x) - (1 - epsilon) onehot(target) - epsilon spread.
// spread [V]: probabilities; not read if epsilon is 0. REQUIRES: 0 <= target < V.
WordLoss cross_entropy_row(float* logits, std::int64_t vocabulary, std::int64_t target, double epsilon,
                           const float* spread);
WordLoss cross_entropy_row(double* logits, std::int64_t vocabulary, std::int64_t target, double epsilon,
                           const double* spread);

// log softmax(x), in place.
void log_softmax_row(float* logits, std::int64_t vocabulary);

}  // namespace softalign
