#include "train/scheduled_sampling.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace softalign {

double true_word_probability(const ScheduledSamplingConfig& config, std::int64_t update) {
    const auto i = static_cast<double>(update - 1);
    double probability = 1.0;
    switch (config.decay) {
        case SamplingDecay::none:
            return 1.0;
        case SamplingDecay::linear:
            probability = config.k - config.slope * i;
            break;
        case SamplingDecay::exponential:
            probability = std::pow(config.k, i);
            break;
        case SamplingDecay::inverse_sigmoid:
            probability = config.k / (config.k + std::exp(i / config.k));
            break;
    }
    return std::max(probability, config.minimum);
}

}  // namespace softalign
