#include "kernels/vector_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace softalign {
namespace {

TEST(VectorMath, ExpIsWithinThreeTenMillionthsOfTheTruth) {
    for (float x = -86.9F; x <= 88.0F; x += 0.0137F) {
        EXPECT_NEAR(static_cast<double>(vector_exp(x)) / std::exp(static_cast<double>(x)), 1.0, 3e-7) << x;
    }
    EXPECT_EQ(vector_exp(0.0F), 1.0F);
}

TEST(VectorMath, ExpFarBelowIsZeroAndNanStays) {
    EXPECT_EQ(vector_exp(-1000.0F), 0.0F);
    EXPECT_EQ(vector_exp(-std::numeric_limits<float>::infinity()), 0.0F);
    EXPECT_TRUE(std::isnan(vector_exp(std::numeric_limits<float>::quiet_NaN())));
}

}  // namespace
}  // namespace softalign
