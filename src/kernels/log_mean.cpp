#include "kernels/log_mean.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "kernels/instruction_sets.h"
#include "kernels/vector_math.h"

namespace softalign {

namespace {

constexpr std::int64_t block = 256;  // numbers at a time, so that what is between two passes stays in the cache

SOFTALIGN_INLINE void log_mean_of_block(float* const* log_probs, const float* log_weights, std::int64_t models,
                                        std::int64_t begin, std::int64_t count) {
    constexpr float lowest = std::numeric_limits<float>::lowest();
    float largest[block];
    float sums[block] = {};
    std::fill_n(largest, block, lowest);
    for (std::int64_t i = 0; i < models; ++i) {
        const float* __restrict x = log_probs[i] + begin;
        const float weight = log_weights[i];
        for (std::int64_t k = 0; k < count; ++k) {
            largest[k] = largest[k] > x[k] + weight ? largest[k] : x[k] + weight;
        }
    }
    // Where all are minus infinity, the largest stays the lowest number, and the sum is 0.
    for (std::int64_t i = 0; i < models; ++i) {
        const float* __restrict x = log_probs[i] + begin;
        const float weight = log_weights[i];
        for (std::int64_t k = 0; k < count; ++k) {
            sums[k] += vector_exp(x[k] + weight - largest[k]);
        }
    }
    float* __restrict mean = log_probs[0] + begin;
    for (std::int64_t k = 0; k < count; ++k) {
        const float value = largest[k] + vector_log(sums[k]);
        mean[k] = sums[k] == 0.0F ? -std::numeric_limits<float>::infinity() : (value > 0.0F ? 0.0F : value);
    }
}

}  // namespace

void log_mean(float* const* log_probs, const float* log_weights, std::int64_t models, std::int64_t count) {
    with_best_instructions([=]() SOFTALIGN_INLINE_BODY {
        for (std::int64_t begin = 0; begin < count; begin += block) {
            log_mean_of_block(log_probs, log_weights, models, begin, std::min(block, count - begin));
        }
    });
}

}  // namespace softalign
