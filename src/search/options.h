#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "config/config.h"
#include "search/prefix_graph.h"

namespace softalign {

// How finished hypotheses are ranked; scoring.h has the formula.
struct ScoringOptions {
    LengthNorm length_norm = LengthNorm::power;
    double length_alpha = 1.0;      // >= 0; 0 = no length normalisation
    double coverage_penalty = 0.0;  // >= 0; 0 = none, and no attention is needed
    double word_penalty = 0.0;      // per token; below 0 = a reward
};

// Drawing outputs from the model's distribution p instead of searching for the best.
struct DrawOptions {
    double temperature = 1.0;  // > 0: from p^(1/temperature), normalised
    std::int64_t top_k = 0;    // then draws only from the most probable tokens; 0 = all (Fan et al. 2018)
    double top_p = 1.0;        // in (0, 1]: then only from the fewest that hold this probability (Holtzman et al. 2020)
    std::uint64_t seed = 1;
};

struct SearchOptions {
    std::int64_t beam = 5;    // prefixes kept per sentence; 1 = greedy. With sampling, the outputs drawn
    std::int64_t n_best = 1;  // <= beam
    double patience = 1.0;    // >= 0; see search.h
    ScoringOptions scoring;
    std::int64_t no_repeat_ngram = 0;  // no sequence of this many tokens twice in an output; 0 = no limit
    std::int64_t groups = 1;           // of diverse beam search; divides the beam
    double diversity = 0.0;            // >= 0; its lambda
    std::optional<DrawOptions> sampling;
    std::int64_t bos = 2;
    std::int64_t eos = 3;
    std::int64_t unk = -1;             // a token that is not written unless a start or a phrase has it; -1 = none
    std::vector<std::int32_t> silent;  // tokens that are never written, such as padding: they have no text
    bool keep_attention = false;
    bool keep_model_log_probs = false;  // of each model of an ensemble
};

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
