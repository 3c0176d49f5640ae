#pragma once

#include <cstdint>
#include <vector>

#include "search/options.h"

namespace softalign {

// What can be wrong with an output; whoever searches decides (translate/output_faults.h).
enum class OutputFault : std::uint8_t {
    none,
    loop,  // it repeats itself
    copy   // of its source
};

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
    OutputFault fault = OutputFault::none;      // of the best output of its sentence; none where nobody looked
    bool repaired = false;                      // this one is of a second search and has no fault
};

// The score of a finished output y of a source x, by which outputs are ranked:
//   score = log p(y | x) / lp(|y|) + beta * cp(x, y) - w |y|,
// |y| the tokens with eos, lp the length normalisation, beta the coverage penalty and w the word penalty (Wu et al.
// 2016, equation 14, with w = 0):
//   lp(n) = n^alpha (power), ((5 + n) / 6)^alpha (wu)
//   cp = sum over the positions i of x of log(min(sum over t of a_ti, 1)), a_t the attention at the t-th token.

// lp(length). length >= 1.
double length_norm(const SearchConfig& options, std::int64_t length);

// cp from the attention that each position got over all tokens. Values below 1e-6 count as 1e-6, so that a position
// without attention, as local attention leaves some, does not make every score minus infinity.
double coverage_of(const std::vector<double>& attended);

// The score of an output.
double score_of(const SearchConfig& options, double log_prob, std::int64_t length, double coverage);

// An upper bound on the score of any output that continues a prefix of this log-probability and ends with a length from
// shortest to longest.
double score_bound(const SearchConfig& options, double log_prob, std::int64_t shortest, std::int64_t longest);

}  // namespace softalign
