#pragma once

#include <cstdint>
#include <vector>

#include "config/config.h"
#include "search/prefix_graph.h"

namespace softalign {

struct SearchOptions : SearchConfig {
    std::int64_t bos = 2;
    std::int64_t eos = 3;
    std::int64_t unk = -1;                  // a token that is not written unless a start or a phrase has it; -1 = none
    std::vector<std::int32_t> silent = {};  // tokens that are never written, such as padding: they have no text
    bool keep_attention = false;
    bool keep_model_log_probs = false;  // of each model of an ensemble
};

// The most prefixes that are kept of a sentence.
inline std::int64_t width_of(const SearchConfig& search) {
    return search.sampling ? search.n_best : search.beam;
}

// The task for one sentence of a batch. Lengths are in tokens, eos not counted.
struct SearchTask {
    std::int64_t max_length = 0;     // >= 0, >= the shortest start and all phrases together
    std::int64_t min_length = 0;     // <= max_length
    std::int64_t source_length = 0;  // positions of the source that the coverage penalty counts, the first of its row
    std::uint64_t key = 0;           // with the seed, determines what is drawn for this sentence
    PrefixGraph prefix;              // how the output starts
    std::vector<std::vector<std::int32_t>> phrases;  // token sequences that must occur in it; at most 64, none empty
};

}  // namespace softalign
