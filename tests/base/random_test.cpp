#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <vector>

namespace softalign {
namespace {

TEST(Random, IsSplitMix64) {
    // The first values of SplitMix64 from the state 0, as the reference implementation in C gives them.
    Random random(0);
    EXPECT_EQ(random.next(), 0xE220A8397B1DCDAFULL);
    EXPECT_EQ(random.next(), 0x6E789E6AA1B965F4ULL);
    EXPECT_EQ(random.next(), 0x06C45D188009454FULL);
}

TEST(Random, BelowStaysBelowAndReachesEverything) {
    Random random(7);
    std::array<int, 5> counts{};
    for (int i = 0; i < 5000; ++i) {
        ++counts.at(random.below(5));
    }
    for (const int count : counts) {
        EXPECT_NEAR(count, 1000, 150);
    }
    EXPECT_EQ(Random(3).below(1), 0U);
}

TEST(Random, BelowTakesBoundsOverHalfTheRange) {
    Random random(1);
    const std::uint64_t bound = (1ULL << 63) + 1;
    for (int i = 0; i < 100; ++i) {
        EXPECT_LT(random.below(bound), bound);
    }
}

TEST(Random, UniformLiesInTheUnitInterval) {
    Random random(11);
    double sum = 0.0;
    for (int i = 0; i < 10000; ++i) {
        const double value = random.uniform();
        ASSERT_GE(value, 0.0);
        ASSERT_LT(value, 1.0);
        sum += value;
    }
    EXPECT_NEAR(sum / 10000, 0.5, 0.02);
}

TEST(Random, KeysDependOnEveryPartAndOnTheirOrder) {
    const std::set<std::uint64_t> keys = {mix_key({1, 2, 3}), mix_key({3, 2, 1}), mix_key({1, 2}), mix_key({1, 2, 4}),
                                          mix_key({0, 1, 2, 3})};
    EXPECT_EQ(keys.size(), 5U);
    EXPECT_EQ(mix_key({1, 2, 3}), mix_key({1, 2, 3}));
}

TEST(Random, PermutationHasEachIndexOnceAndFollowsItsKey) {
    auto order = permutation(1000, 42);
    EXPECT_EQ(order, permutation(1000, 42));
    EXPECT_NE(order, permutation(1000, 43));
    std::sort(order.begin(), order.end());
    for (std::uint32_t i = 0; i < 1000; ++i) {
        ASSERT_EQ(order[i], i);
    }
    EXPECT_TRUE(permutation(0, 1).empty());
    EXPECT_EQ(permutation(1, 1), std::vector<std::uint32_t>{0});
}

}  // namespace
}  // namespace softalign
