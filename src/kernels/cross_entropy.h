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

// What a word that a model passes twice is to be: its place in the vocabulary, the smoothing as above, and the weight
// of the divergence.
template <typename T>
struct PairTarget {
    std::int64_t vocabulary;
    std::int64_t target;
    double epsilon;
    const T* spread;
    double alpha;
};

// R-Drop (Liang et al. 2021, equations 2 to 4) for one word, from its logits [V] in two passes with other dropout, of
// which P and Q are the softmax:
// 1/2 (cross-entropy of P + cross-entropy of Q + alpha/2 (KL(P||Q) + KL(Q||P))).
// Replaces both with the gradients of that. The negative log-probability is the mean of the two.
// REQUIRES: 0 <= target < vocabulary.
WordLoss r_drop_row(float* first, float* second, const PairTarget<float>& of);
WordLoss r_drop_row(double* first, double* second, const PairTarget<double>& of);

// log softmax(x), in place.
void log_softmax_row(float* logits, std::int64_t vocabulary);

}  // namespace softalign
