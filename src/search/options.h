#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/config.h"

namespace softalign {

// The token sequences that an output may start with, as a graph: an output walks along the edges from node 0. At a node
// without edges its start is complete, and any token may follow; elsewhere only the tokens of the edges may. Edges lead
// to later nodes. An empty graph is no constraint.
struct PrefixGraph {
    struct Edge {
        std::int32_t token = 0;
        std::int32_t to = 0;
    };
    std::vector<std::vector<Edge>> nodes;
    std::int32_t may_end = -1;  // a node with several edges at which the output may also end; -1 = none

    bool complete(std::int32_t node) const { return nodes.empty() || nodes[static_cast<std::size_t>(node)].empty(); }

    // The node after a token. REQUIRES: the token may follow.
    std::int32_t next(std::int32_t node, std::int32_t token) const {
        if (!complete(node)) {
            for (const Edge& edge : nodes[static_cast<std::size_t>(node)]) {
                if (edge.token == token) {
                    return edge.to;
                }
            }
        }
        return node;
    }

    // The fewest tokens from each node to where the start is complete or, with `to_end`, to where the output may end.
    // Empty for an empty graph.
    std::vector<std::int64_t> shortest(bool to_end) const;
};

// Where words end in an output, in the order in which it is written: at its beginning and its end, and between two
// tokens if the first of them ends a word or the second begins one.
struct WordBoundaries {
    std::vector<bool> begins;  // [V] true = no word goes on with this token
    std::vector<bool> ends;    // [V] true = no word goes on behind it

    bool between(std::int32_t first, std::int32_t second) const {
        return ends[static_cast<std::size_t>(first)] || begins[static_cast<std::size_t>(second)];
    }
};

struct SearchOptions : SearchConfig {
    std::int64_t bos = 2;
    std::int64_t eos = 3;
    std::int64_t unk = -1;                  // a token that is not written unless a start or a phrase has it; -1 = none
    std::vector<std::int32_t> silent = {};  // tokens that are never written, such as padding: they have no text
    bool keep_attention = false;
    bool keep_model_log_probs = false;  // of each model of an ensemble

    bool reads_attention() const { return keep_attention || coverage_penalty > 0.0; }
};

// The most prefixes that are kept of a sentence.
inline std::int64_t width_of(const SearchConfig& search) {
    return search.sampling ? search.n_best : search.beam;
}

// A length as a whole number, rounded down, and no more than a million.
inline std::int64_t whole_length(double length) {
    return static_cast<std::int64_t>(std::min(length, 1e6));
}

// The most and the fewest tokens that the output for so many source pieces may have.
inline std::int64_t longest_output(const SearchConfig& search, std::int64_t source_pieces) {
    const std::int64_t length = whole_length(search.max_length_ratio * static_cast<double>(source_pieces) +
                                             static_cast<double>(search.max_length_offset));
    return search.max_length > 0 ? std::min(length, search.max_length) : length;
}
inline std::int64_t shortest_output(const SearchConfig& search, std::int64_t source_pieces) {
    const std::int64_t length = whole_length(search.min_length_ratio * static_cast<double>(source_pieces));
    return std::min(longest_output(search, source_pieces), std::max(search.min_length, length));
}

// The task for one sentence of a batch. Lengths are in tokens, eos not counted.
struct SearchTask {
    std::int64_t max_length = 0;     // >= 0, >= the shortest start and all phrases together
    std::int64_t min_length = 0;     // <= max_length
    std::int64_t source_length = 0;  // positions of the source that the coverage penalty counts, the first of its row
    std::uint64_t key = 0;           // with the seed, determines what is drawn for this sentence
    PrefixGraph prefix;              // how the output starts
    std::vector<std::vector<std::int32_t>> phrases;  // token sequences that must occur in it; at most 64, none empty
    // Not null: a phrase occurs only where word boundaries are in front of it and behind it. There must be one between
    // any two phrases, and no start.
    const WordBoundaries* whole_words = nullptr;
    std::int64_t no_repeat_ngram = 0;   // the same as that of the options; where both are set, the smaller counts
    std::vector<std::int32_t> avoided;  // no two tokens of the output follow each other as any two of these do
    std::vector<std::int32_t> forbidden = {};  // tokens that are not written; none that its start or a phrase has
};

}  // namespace softalign
