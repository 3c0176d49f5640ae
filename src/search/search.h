#pragma once

#include <vector>

#include "search/options.h"
#include "search/scoring.h"
#include "search/step_model.h"

namespace softalign {

// Searches a batch for outputs, one task per sentence, in the order of the model's rows. Returns for each sentence up
// to n_best hypotheses, best first: the n_best of all finished ones by score (scoring.h), ties in the order in which
// they were finished. None has probability 0: where the search finds no output that the rules and the model allow, the
// sentence has no hypothesis.
//
// What is computed for one sentence; batching changes nothing:
// - At first the one live prefix is the empty one, with log-probability 0.
// - At step t = 0, 1, ... each live prefix y (t tokens long) and each token v that may follow make a candidate of
//   log-probability log_prob(y) + log p(v | y), summed in double precision. Silent tokens never follow, and rules
//   (restrictions.h) may forbid others; the probabilities of those that are left are the model's, not renormalised.
// - While t < max_length, candidates are ordered by log-probability, ties by the rank of the
//   prefix, then by token id. The best `beam` of those that do not end in eos are the live
//   prefixes of step t + 1, ranked in this order. Those that end in eos and are among the
//   best `beam` of all are finished. So an end does not take the place of a prefix that
//   continues.
// - At t = max_length every live prefix that may end is finished with eos, however small its probability. A prefix that
//   no token may follow is gone.
// - The search ends when no prefix is live, or with patience above 0 once patience * beam hypotheses, and n_best, are
//   finished (Kasai et al. 2022; 1 is what most toolkits do) and none of the live prefixes has, as long as it is and
//   without a coverage penalty, a better score than the best of them. So ends that are all bad do not cut off a good
//   prefix. With a beam of 1 nothing is compared.
// A sentence leaves the batch earlier, with the same result, once it has n_best finished hypotheses and no live prefix
// can score more than the worst of them (score_bound); not with groups, which depend on one another.
//
// Greedy search is beam 1 with patience 1.
//
// Diverse beam search (Vijayakumar et al. 2018), groups > 1: the beam is cut into groups of equal width, each a
// search as above. At each step the groups choose in turn. For the ordering, each candidate is penalised by diversity
// times the number of candidates with the same token that earlier groups took at this step; its log-probability and
// score do not change. The result has the best of each group by score, then the second of each, and so on, without
// duplicates; so it may have fewer than n_best (diverse_search in sentence_beam.h adds others).
//
// Phrases: prefixes are kept apart by how many tokens of the phrases they have, and the beam is shared among these
// (phrases.h); candidates are, besides the best `beam` + 1 tokens of each prefix, those that bring phrases on. A prefix
// that lacks some may not end. So every hypothesis has all phrases, unless the model makes them impossible: some prefix
// has room for all that it lacks at first, for max_length must leave it, and at each step one that goes on with them is
// kept. While the start of the output is not complete, only phrases that have occurred count. As whole words, a phrase
// that a prefix ends with counts until the next token goes on with its last word; a prefix that has all phrases keeps
// a way on that does not: the best token in front of which there is a boundary is among its candidates.
//
// Sampling: n_best outputs are drawn (sentence_sampler.h), which need not differ; they are the result, in this order.
// One that comes to a point where no token may follow is left out.
//
// Throws Error(numerical) where the model gives NaN or +infinity, Error(internal) for options out of range.
std::vector<std::vector<Hypothesis>> search(StepModel& model, const std::vector<SearchTask>& tasks,
                                            const SearchOptions& options);

}  // namespace softalign
