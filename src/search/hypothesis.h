#pragma once

#include <cstdint>
#include <vector>

namespace softalign {

// An output that a search found. Logarithms are natural.
struct Hypothesis {
    std::vector<std::int32_t> ids;       // T - 1 tokens, without bos and eos
    std::vector<float> token_log_probs;  // [T] of the ids and of eos, given what is before them
    double log_prob = 0.0;               // their sum, in double precision
    double score = 0.0;                  // what hypotheses are ranked by; see scoring.h
    double length_norm = 1.0;            // what the score divides the log-probability by
    double coverage = 0.0;               // the coverage penalty of the score, before its weight; 0 where it is not used
    // [T] of each model of an ensemble, in their order: its own token_log_probs. Empty unless asked for.
    std::vector<std::vector<float>> model_token_log_probs;
    std::vector<std::vector<float>> attention;  // [T][S]; empty unless asked for
};

}  // namespace softalign
