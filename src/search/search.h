#pragma once

#include <cstdint>
#include <vector>

#include "search/hypothesis.h"
#include "search/step_model.h"

namespace softalign {

struct SearchOptions {
    std::int64_t beam = 5;      // 1 = greedy
    std::int64_t n_best = 1;    // <= beam
    double length_alpha = 1.0;  // >= 0; 0 = no length normalisation
    std::int64_t bos = 2;
    std::int64_t eos = 3;
    std::int64_t unk = -1;  // a token that is never written; -1 = none
    bool keep_attention = false;
};

// Beam search over a batch. max_lengths [B]: the longest output of each sentence, eos not counted, >= 0. Returns for
// each sentence its n_best hypotheses, best first (fewer where the search finished fewer).
//
// What is computed, for one sentence on its own; a batch changes nothing:
// - At first the one live prefix is the empty one, with log-probability 0.
// - At step t = 0, 1, ... each live prefix y (t tokens long) and each token v other than `unk` make a candidate of
//   log-probability log_prob(y) + log p(v | y), summed in double precision. The probabilities of the tokens that are
//   left are those of the model, not normalised anew.
// - While t < max_length, the `beam` best candidates are kept, by log-probability, where that is equal by the rank of
//   the prefix, then by token id. Those that end in eos are finished and leave; the others are the live prefixes of
//   step t + 1, ranked in the same order. (A step after one that finished some may have `beam` live prefixes again.)
// - At t = max_length every live prefix is finished with eos, whatever its probability.
// - The search ends when no prefix is live. The result is the best n_best of all that were finished, by score, where
//   that is equal by the order in which they were finished.
// A sentence leaves the batch earlier, with the same result, once it has n_best finished hypotheses and no live prefix
// can come to score more than the worst of them: at best a prefix keeps its log-probability and ends at the greatest
// length, so log_prob / (max_length + 1)^length_alpha bounds what it can reach.
//
// Throws Error(numerical) where the model gives NaN or +infinity, Error(internal) for options out of range.
std::vector<std::vector<Hypothesis>> search(StepModel& model, const std::vector<std::int64_t>& max_lengths,
                                            const SearchOptions& options);

}  // namespace softalign
