#pragma once

#include <cstdint>
#include <vector>

#include "search/options.h"
#include "search/prefix_tree.h"

namespace softalign {

// A prefix as the rules about its next token see it.
struct RestrictedPrefix {
    std::int64_t length = 0;               // tokens
    std::int32_t node = PrefixTree::root;  // in the tree
    std::int32_t start = 0;                // node in the graph of the start of the output
    bool may_end = true;                   // whether all phrases have occurred
    std::vector<std::int32_t> wanted;      // tokens that bring phrases on: no rule but the start forbids them
};

// Which tokens must not follow a prefix: the unknown one, the end where the output is too short or phrases are missing,
// one that repeats a sequence of no_repeat_ngram tokens (Paulus et al. 2018; the end repeats nothing); and all but
// those of the graph, while the start is not complete, whatever the other rules say.
class Restrictions {
public:
    // REQUIRES: both outlive this.
    Restrictions(const SearchOptions& options, const SearchTask& task);

    // Whether no rule can ever forbid a token.
    bool none() const;

    // Sets the log-probabilities [V] of the forbidden tokens to minus infinity.
    void apply(const RestrictedPrefix& prefix, const PrefixTree& tree, float* log_probs, std::int64_t vocabulary) const;

private:
    void keep_to_start(std::int32_t node, float* log_probs, std::int64_t vocabulary) const;
    void forbid_repetition(const std::vector<std::int32_t>& tokens, const std::vector<std::int32_t>& wanted,
                           float* log_probs) const;

    const SearchOptions& options_;
    const SearchTask& task_;
};

}  // namespace softalign
