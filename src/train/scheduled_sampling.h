#pragma once

#include <cstdint>

#include "config/config.h"

namespace softalign {

// The probability with which the decoder reads the true word in an update, from 1. Bengio et al. 2015, section 2.4,
// with i = update - 1, each no less than config.minimum:
//   none: 1; linear: k - slope i; exponential: k^i; inverse_sigmoid: k / (k + exp(i / k)).
double true_word_probability(const ScheduledSamplingConfig& config, std::int64_t update);

}  // namespace softalign
