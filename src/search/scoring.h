#pragma once

#include <cstdint>
#include <vector>

#include "search/options.h"

namespace softalign {

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
