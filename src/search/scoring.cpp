#include "search/scoring.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace softalign {

double length_norm(const SearchConfig& options, std::int64_t length) {
    const auto n = static_cast<double>(length);
    return std::pow(options.length_norm == LengthNorm::wu ? (5.0 + n) / 6.0 : n, options.length_alpha);
}

double coverage_of(const std::vector<double>& attended) {
    double sum = 0.0;
    for (const double attention : attended) {
        sum += std::log(std::min(std::max(attention, 1e-6), 1.0));
    }
    return sum;
}

double score_of(const SearchConfig& options, double log_prob, std::int64_t length, double coverage) {
    return log_prob / length_norm(options, length) + options.coverage_penalty * coverage -
           options.word_penalty * static_cast<double>(length);
}

// Log-probabilities only fall and are at most 0, the coverage is at most 0: so the greatest divisor is best, and of the
// word penalty the shortest output, or the longest where it is a reward.
double score_bound(const SearchConfig& options, double log_prob, std::int64_t shortest, std::int64_t longest) {
    return log_prob / length_norm(options, longest) -
           options.word_penalty * static_cast<double>(options.word_penalty > 0.0 ? shortest : longest);
}

}  // namespace softalign
