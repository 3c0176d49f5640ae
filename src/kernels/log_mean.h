#pragma once

#include <cstdint>

namespace softalign {

// The logarithm of the weighted mean of probabilities, from their logarithms: log_probs[0][k] becomes
// ln sum_i e^(log_weights[i] + log_probs[i][k]), but at most 0, for 0 <= k < count. Minus infinity is a probability of
// 0, and NaN stays. REQUIRES: models >= 1; log_probs[0] overlaps with none of the others.
void log_mean(float* const* log_probs, const float* log_weights, std::int64_t models, std::int64_t count);

}  // namespace softalign
