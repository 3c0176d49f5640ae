#include "translate/lexical_counts.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace softalign {
namespace {

void expect_best(const LexicalCounts& counts, std::int32_t source, std::size_t count,
                 const std::vector<std::pair<std::int32_t, double>>& expected) {
    const auto best = counts.best(source, count);
    ASSERT_EQ(best.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(best[i].target, expected[i].first);
        EXPECT_DOUBLE_EQ(best[i].probability, expected[i].second);
    }
}

TEST(LexicalCounts, SharesAreOfAllThatASourcePieceGot) {
    LexicalCounts counts(3, 6);
    counts.add(1, 5, 0.5);
    counts.add(1, 2, 0.25);
    counts.add(2, 5, 1.0);
    counts.add(1, 4, 0.25);
    counts.add(1, 2, 1.0);
    expect_best(counts, 1, 9, {{2, 0.625}, {5, 0.25}, {4, 0.125}});
    expect_best(counts, 1, 2, {{2, 0.625}, {5, 0.25}});
    expect_best(counts, 2, 9, {{5, 1.0}});
    expect_best(counts, 0, 9, {});
    EXPECT_DOUBLE_EQ(counts.probability(1, 4), 0.125);
    EXPECT_EQ(counts.probability(1, 3), 0.0);
    EXPECT_EQ(counts.probability(0, 3), 0.0);
}

TEST(LexicalCounts, EqualOnesComeById) {
    LexicalCounts counts(1, 6);
    for (const std::int32_t target : {4, 1, 5, 2}) {
        counts.add(0, target, 0.25);
    }
    expect_best(counts, 0, 3, {{1, 0.25}, {2, 0.25}, {4, 0.25}});
}

TEST(LexicalCounts, TheMostFrequentAreThoseSeenMost) {
    LexicalCounts counts(1, 6);
    for (const std::int32_t target : {4, 1, 5, 4, 5, 3}) {
        counts.see(target);
    }
    EXPECT_EQ(counts.most_frequent(9), (std::vector<std::int32_t>{4, 5, 1, 3}));
    EXPECT_EQ(counts.most_frequent(3), (std::vector<std::int32_t>{4, 5, 1}));
    EXPECT_TRUE(counts.most_frequent(0).empty());
    EXPECT_TRUE(LexicalCounts(2, 2).most_frequent(2).empty());
}

// What is given up stays in the sum of all.
TEST(LexicalCounts, ASourcePieceHoldsNoMoreThanItsBest) {
    const auto most = static_cast<std::int32_t>(LexicalCounts::most_cells);
    LexicalCounts counts(1, most + 1);
    for (std::int32_t target = 0; target < most; ++target) {
        counts.add(0, target, 1.0 + target);
    }
    EXPECT_EQ(counts.best(0, 2 * LexicalCounts::most_cells).size(), LexicalCounts::most_cells);
    counts.add(0, most, 0.5);
    const auto left = counts.best(0, 2 * LexicalCounts::most_cells);
    ASSERT_EQ(left.size(), LexicalCounts::most_cells / 2);
    EXPECT_EQ(left.front().target, most - 1);
    EXPECT_EQ(left.back().target, most / 2);
    EXPECT_DOUBLE_EQ(left.front().probability, most / (0.5 * most * (most + 1.0) + 0.5));
}

}  // namespace
}  // namespace softalign
