#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "search/options.h"
#include "search/prefix_tree.h"

namespace softalign {

// The tokens that a search may write for each sentence of a batch, a small part of the vocabulary. The logits of all of
// them are computed together for the whole batch; the mask hides from each sentence the tokens of the others, so that a
// result does not depend on the rest of the batch.
struct Candidates {
    at::Tensor ids;   // [K] int64, ascending: the candidates of any sentence
    at::Tensor mask;  // [B,K] bool, true = a candidate of this sentence
};

// of_sentences: the candidates of each sentence, in any order, perhaps repeated. REQUIRES: each has at least one.
Candidates make_candidates(const std::vector<std::vector<std::int32_t>>& of_sentences, const at::Device& device);

// The log-probabilities of all V tokens for N rows: [N,V] float32, natural logarithms of probabilities that sum to 1
// over the candidates of a row, minus infinity elsewhere. logits [N,K] of the tokens ids [K]; mask [N,K] bool, true = a
// candidate of this row.
at::Tensor candidate_log_probs(const at::Tensor& logits, const at::Tensor& ids, const at::Tensor& mask,
                               std::int64_t vocabulary);

// A prefix as the rules about its next token see it.
struct RestrictedPrefix {
    std::int64_t length = 0;               // tokens
    std::int32_t node = PrefixTree::root;  // in the tree
    std::int32_t start = 0;                // node in the graph of the start of the output
    std::int64_t missing = 0;              // tokens of the phrases that have not occurred; > 0: it must not end
    std::vector<std::int32_t> wanted;      // tokens that bring phrases on: no rule but the start forbids them
};

// Which tokens must not follow a prefix:
// - while the start is not complete, all but those of the graph, of which again those that leave too few tokens up to
//   max_length for the rest of the start and the missing phrases;
// - the end where the output is too short or phrases are missing; it repeats nothing;
// - the unknown token, unless the start asks for it;
// - one that repeats a sequence of no_repeat_ngram tokens, unless it belongs to the start (Paulus et al. 2018);
// - one that follows the token before it among those to avoid;
// - one that the task forbids.
class Restrictions {
public:
    // REQUIRES: both outlive this.
    Restrictions(const SearchOptions& options, const SearchTask& task);

    // Whether no rule can ever forbid a token.
    bool none() const;

    // Sets the log-probabilities [V] of the forbidden tokens to minus infinity.
    void apply(const RestrictedPrefix& prefix, const PrefixTree& tree, float* log_probs, std::int64_t vocabulary) const;

private:
    bool may_end(const RestrictedPrefix& prefix) const;
    void keep_to_start(const RestrictedPrefix& prefix, float* log_probs, std::int64_t vocabulary) const;

    const SearchOptions& options_;
    const SearchTask& task_;
    std::int64_t no_repeat_ngram_;             // 0: any
    std::vector<std::int32_t> forbidden_;      // by the task, and not by the options as silent
    std::vector<std::int64_t> rest_of_start_;  // the fewest tokens that complete it, from each node
};

}  // namespace softalign
