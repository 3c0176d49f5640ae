#include "kernels/log_mean.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "arrays.h"

namespace softalign {
namespace {

constexpr float never = -std::numeric_limits<float>::infinity();

// Logarithms of probabilities from 1 down to e^-80.
Array<float> sample_log_probs(std::int64_t count, std::uint32_t seed) {
    Array<float> log_probs(count, seed, 40.0);
    for (std::int64_t i = 0; i < count; ++i) {
        log_probs[i] -= 40.0F;
    }
    return log_probs;
}

TEST(LogMean, IsTheLogarithmOfTheMean) {
    for (const std::vector<double>& weights : {std::vector<double>{1.0}, {0.75, 0.25}, {0.5, 0.2, 0.3}}) {
        for (const std::int64_t count : kernel_lengths()) {
            std::vector<Array<float>> log_probs;
            std::vector<float*> rows;
            std::vector<float> log_weights;
            for (const double weight : weights) {
                log_probs.push_back(sample_log_probs(count, static_cast<std::uint32_t>(31 + log_probs.size())));
                log_weights.push_back(static_cast<float>(std::log(weight)));
            }
            rows.reserve(weights.size());
            for (Array<float>& row : log_probs) {
                rows.push_back(row.data());
            }
            const std::vector<Array<float>> before = log_probs;
            log_mean(rows.data(), log_weights.data(), static_cast<std::int64_t>(rows.size()), count);
            expect_array(log_probs[0], 2e-7, [&](std::int64_t k) {
                double sum = 0.0;
                for (std::size_t i = 0; i < weights.size(); ++i) {
                    sum += weights[i] * std::exp(before[i][k]);
                }
                return std::log(sum);
            });
            for (std::size_t i = 1; i < weights.size(); ++i) {
                expect_array(log_probs[i], 0.0, [&](std::int64_t k) { return before[i][k]; });
            }
        }
    }
}

TEST(LogMean, WhatIsImpossibleStaysSoAndNanShows) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> one = {never, never, -300.0F, nan, -1.0F, nan, 0.0F};
    std::vector<float> other = {never, -2.0F, -300.0F, -1.0F, nan, never, 0.0F};
    float* const rows[] = {one.data(), other.data()};
    // They add up to more than 1.
    const float log_weights[] = {-0.693147F, -0.693147F};
    log_mean(rows, log_weights, 2, static_cast<std::int64_t>(one.size()));
    EXPECT_EQ(one[0], never);
    EXPECT_NEAR(one[1], -2.693147F, 1e-6);
    EXPECT_NEAR(one[2], -300.0F, 1e-4);
    EXPECT_TRUE(std::isnan(one[3]));
    EXPECT_TRUE(std::isnan(one[4]));
    EXPECT_TRUE(std::isnan(one[5]));
    EXPECT_LE(one[6], 0.0F);
    EXPECT_NEAR(one[6], 0.0F, 1e-6);
}

}  // namespace
}  // namespace softalign
