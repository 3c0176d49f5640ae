#include "kernels/vector_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace softalign {
namespace {

TEST(VectorMath, TanhIsWithinAMillionthOfTheTruth) {
    for (double x = -20.0; x <= 20.0; x += 0.00037) {
        const double truth = std::tanh(static_cast<double>(static_cast<float>(x)));
        const double value = vector_tanh(static_cast<float>(x));
        ASSERT_LE(std::abs(value - truth), 1e-6 * std::abs(truth)) << x;
        ASSERT_LE(std::abs(value), 1.0) << x;
    }
    for (float x = 1.0F; x > 1e-37F; x *= 0.5F) {
        ASSERT_NEAR(vector_tanh(x) / std::tanh(x), 1.0, 1e-6) << x;
        ASSERT_EQ(vector_tanh(-x), -vector_tanh(x)) << x;
    }
    EXPECT_EQ(vector_tanh(0.0F), 0.0F);
}

TEST(VectorMath, SigmoidIsWithinAMillionth) {
    for (double x = -40.0; x <= 40.0; x += 0.00071) {
        const double truth = 1.0 / (1.0 + std::exp(-static_cast<double>(static_cast<float>(x))));
        const double value = vector_sigmoid(static_cast<float>(x));
        ASSERT_NEAR(value, truth, 5e-7) << x;
        ASSERT_GE(value, 0.0) << x;
        ASSERT_LE(value, 1.0) << x;
        ASSERT_NEAR(vector_sigmoid(x), 1.0 / (1.0 + std::exp(-x)), 1e-15) << x;
    }
}

TEST(VectorMath, InfinitySaturatesAndNanStaysNan) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NEAR(vector_tanh(infinity), 1.0F, 2e-7);
    EXPECT_NEAR(vector_tanh(-infinity), -1.0F, 2e-7);
    EXPECT_NEAR(vector_sigmoid(infinity), 1.0F, 2e-7);
    EXPECT_NEAR(vector_sigmoid(-infinity), 0.0F, 2e-7);
    EXPECT_TRUE(std::isnan(vector_tanh(nan)));
    EXPECT_TRUE(std::isnan(vector_sigmoid(nan)));
}

TEST(VectorMath, ExpIsWithinThreeTenMillionthsOfTheTruth) {
    for (float x = -86.9F; x <= 88.0F; x += 0.0137F) {
        EXPECT_NEAR(static_cast<double>(vector_exp(x)) / std::exp(static_cast<double>(x)), 1.0, 3e-7) << x;
    }
    EXPECT_EQ(vector_exp(0.0F), 1.0F);
}

TEST(VectorMath, LogIsWithinThreeTenMillionthsOfTheTruth) {
    for (float x = 1e-37F; x < 3e38F; x *= 1.00037F) {
        const double truth = std::log(static_cast<double>(x));
        ASSERT_NEAR(static_cast<double>(vector_log(x)), truth, 3e-7 * std::abs(truth)) << x;
    }
    for (float x = 0.5F; x <= 2.0F; x += 0.000123F) {
        ASSERT_NEAR(static_cast<double>(vector_log(x)), std::log(static_cast<double>(x)), 1e-7) << x;
    }
    EXPECT_EQ(vector_log(1.0F), 0.0F);
    EXPECT_TRUE(std::isnan(vector_log(std::numeric_limits<float>::quiet_NaN())));
}

TEST(VectorMath, ExpFarBelowIsZeroAndNanStays) {
    EXPECT_EQ(vector_exp(-1000.0F), 0.0F);
    EXPECT_EQ(vector_exp(-std::numeric_limits<float>::infinity()), 0.0F);
    EXPECT_TRUE(std::isnan(vector_exp(std::numeric_limits<float>::quiet_NaN())));
}

}  // namespace
}  // namespace softalign
