#include "metrics/ngrams.h"

#include <gtest/gtest.h>

namespace softalign {
namespace {

using Counts = std::array<std::int64_t, max_ngram_order>;

std::int64_t count_of(const NgramCounts& counts, const Ngram& ngram) {
    for (const CountedNgram& counted : counts) {
        if (counted.ngram == ngram) {
            return counted.count;
        }
    }
    return 0;
}

TEST(WordIndex, NumbersWordsFromOneOn) {
    WordIndex index;
    EXPECT_EQ(index.ids({"b", "a", "b"}), (std::vector<std::uint32_t>{1, 2, 1}));
    EXPECT_EQ(index.ids({"c", "a"}), (std::vector<std::uint32_t>{3, 2}));
}

TEST(Ngrams, OfASentence) {
    const NgramCounts counts = count_ngrams({1, 2, 1, 2, 3});
    EXPECT_EQ(counts.size(), 3U + 3U + 3U + 2U);
    EXPECT_EQ(count_of(counts, {1, 0, 0, 0}), 2);
    EXPECT_EQ(count_of(counts, {1, 2, 0, 0}), 2);
    EXPECT_EQ(count_of(counts, {2, 3, 0, 0}), 1);
    EXPECT_EQ(count_of(counts, {2, 1, 2, 3}), 1);
    EXPECT_EQ(count_of(counts, {3, 1, 0, 0}), 0);
}

TEST(Ngrams, OfShortSentences) {
    EXPECT_TRUE(count_ngrams({}).empty());
    EXPECT_EQ(count_ngrams({7}).size(), 1U);
    EXPECT_EQ(count_ngrams({7, 8}).size(), 3U);
}

TEST(Ngrams, MatchesAreClipped) {
    const NgramCounts hypothesis = count_ngrams({1, 1, 1, 1, 2});
    EXPECT_EQ(clipped_matches(hypothesis, count_ngrams({1, 1, 2, 3})), (Counts{3, 2, 1, 0}));
    EXPECT_EQ(clipped_matches(hypothesis, hypothesis), (Counts{5, 4, 3, 2}));
    EXPECT_EQ(clipped_matches(hypothesis, {}), (Counts{0, 0, 0, 0}));
}

TEST(Ngrams, MergingKeepsTheGreaterCount) {
    const NgramCounts merged = merge_greatest(count_ngrams({1, 1, 2}), count_ngrams({1, 2, 2, 3}));
    EXPECT_EQ(count_of(merged, {1, 0, 0, 0}), 2);
    EXPECT_EQ(count_of(merged, {2, 0, 0, 0}), 2);
    EXPECT_EQ(count_of(merged, {3, 0, 0, 0}), 1);
    EXPECT_EQ(count_of(merged, {1, 2, 0, 0}), 1);
    EXPECT_EQ(merged.size(), 3U + 4U + 3U + 1U);
}

}  // namespace
}  // namespace softalign
