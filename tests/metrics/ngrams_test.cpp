#include "metrics/ngrams.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace softalign {
namespace {

using Matches = std::vector<double>;

Matches matches_of(NgramMatcher& matcher, const std::vector<Symbol>& symbols, std::size_t orders) {
    Matches matches(orders, -1.0);
    matcher.count_matches(symbols, matches.data());
    return matches;
}

TEST(WordTable, NumbersWordsFromOneOn) {
    WordTable table;
    EXPECT_EQ(table.add("b"), 1U);
    EXPECT_EQ(table.add("a"), 2U);
    EXPECT_EQ(table.add("b"), 1U);
    EXPECT_EQ(table.find("a"), 2U);
    EXPECT_EQ(table.find("c"), 0U);
    EXPECT_EQ(table.size(), 2U);
    table.clear();
    EXPECT_EQ(table.find("a"), 0U);
    EXPECT_EQ(table.add("a"), 1U);
}

TEST(WordTable, HoldsMoreWordsThanItBeginsWith) {
    std::vector<std::string> words(1000);
    WordTable table;
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = "word" + std::to_string(i);
        EXPECT_EQ(table.add(words[i]), i + 1);
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
        EXPECT_EQ(table.find(words[i]), i + 1);
    }
}

TEST(NgramMatcher, CountsAtMostAsOftenAsInTheReference) {
    NgramMatcher matcher(3);
    matcher.add_reference({1, 2, 1, 2, 3});
    EXPECT_EQ(matches_of(matcher, {1, 2, 1, 2, 3}, 3), (Matches{5, 4, 3}));
    EXPECT_EQ(matches_of(matcher, {1, 1, 1, 2}, 3), (Matches{3, 1, 0}));
    EXPECT_EQ(matches_of(matcher, {3, 3, 3}, 3), (Matches{1, 0, 0}));
    EXPECT_EQ(matches_of(matcher, {}, 3), (Matches{0, 0, 0}));
    EXPECT_EQ(matches_of(matcher, {1, 2, 9, 1, 2}, 3), (Matches{4, 2, 0}));  // the calls before left nothing behind
}

TEST(NgramMatcher, TakesTheGreaterCountOfSeveralReferences) {
    NgramMatcher matcher(2);
    matcher.add_reference({1, 1, 2});
    matcher.add_reference({2, 2, 1});
    EXPECT_EQ(matches_of(matcher, {1, 1, 1, 2, 2, 2}, 2), (Matches{4, 3}));
    matcher.clear();
    EXPECT_EQ(matches_of(matcher, {1, 1, 2}, 2), (Matches{0, 0}));
}

TEST(NgramMatcher, HoldsMoreThanItBeginsWith) {
    std::vector<Symbol> symbols(2000);
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        symbols[i] = static_cast<Symbol>(i * i % 977);
    }
    NgramMatcher matcher(6);
    matcher.add_reference(symbols);
    EXPECT_EQ(matches_of(matcher, symbols, 6), (Matches{2000, 1999, 1998, 1997, 1996, 1995}));
}

}  // namespace
}  // namespace softalign
