#include "html/sentence_views.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace softalign {
namespace {

// "the [big ]dog": what the other side lacks in brackets.
std::string shown(const std::vector<DiffSpan>& spans) {
    std::string text;
    for (const DiffSpan& span : spans) {
        text += span.shared ? span.text : "[" + span.text + "]";
    }
    return text;
}

std::vector<std::string> both(const std::string& left, const std::string& right) {
    const WordDiff diff = compare_words(left, right);
    return {shown(diff.left), shown(diff.right)};
}

using Sides = std::vector<std::string>;

TEST(WordDiff, EqualTextsShareEverything) {
    EXPECT_EQ(both("a man sleeps .", "a man sleeps ."), (Sides{"a man sleeps .", "a man sleeps ."}));
    EXPECT_EQ(both("", ""), (Sides{"", ""}));
}

TEST(WordDiff, ChangedMissingAndAddedWords) {
    EXPECT_EQ(both("a big man sleeps", "a man sleeps"), (Sides{"a [big] man sleeps", "a man sleeps"}));
    EXPECT_EQ(both("the cat eats fish", "the dog drinks fish"),
              (Sides{"the [cat eats] fish", "the [dog drinks] fish"}));
    EXPECT_EQ(both("a b c d e", "b x d"), (Sides{"[a] b [c] d [e]", "b [x] d"}));
}

TEST(WordDiff, OneSideEmpty) {
    EXPECT_EQ(both("", "a man"), (Sides{"", "[a man]"}));
    EXPECT_EQ(both("a man", ""), (Sides{"[a man]", ""}));
    EXPECT_EQ(both("   ", "a"), (Sides{"   ", "[a]"}));
}

TEST(WordDiff, PunctuationIsComparedByItself) {
    EXPECT_EQ(both("Er schläft.", "Er schläft!"), (Sides{"Er schläft[.]", "Er schläft[!]"}));
    EXPECT_EQ(both("(ja)", "ja"), (Sides{"[(]ja[)]", "ja"}));
}

TEST(WordDiff, EastAsianCharactersAreComparedOneByOne) {
    EXPECT_EQ(both("二人の男が歩く", "二人の女が歩く"), (Sides{"二人の[男]が歩く", "二人の[女]が歩く"}));
}

TEST(WordDiff, WhiteSpaceIsKeptAndNotCompared) {
    EXPECT_EQ(both("a  b ", "a b"), (Sides{"a  b ", "a b"}));
    EXPECT_EQ(both("a\u3000b", "a b"), (Sides{"a\u3000b", "a b"}));
}

TEST(WordDiff, RepeatedWordsAreAlignedInOrder) {
    EXPECT_EQ(both("a a a b", "a b"), (Sides{"a [a a] b", "a b"}));
}

TEST(WordDiff, BrokenBytesAreWordsLikeOthers) {
    EXPECT_EQ(both("\xFF x", "y x"), (Sides{"[\xFF] x", "[y] x"}));
}

TEST(WordDiff, HugeTextsAreComparedAtTheirEnds) {
    std::string left = "begin ";
    std::string right = "begin ";
    for (int i = 0; i < 5000; ++i) {
        left += "l" + std::to_string(i) + " same ";
        right += "r" + std::to_string(i) + " same ";
    }
    const WordDiff diff = compare_words(left + "end", right + "end");
    ASSERT_EQ(diff.left.size(), 3U);
    EXPECT_EQ(diff.left[0].text, "begin ");
    EXPECT_FALSE(diff.left[1].shared);
    EXPECT_EQ(diff.left[2].text, " same end");
}

}  // namespace
}  // namespace softalign
