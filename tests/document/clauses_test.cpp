#include "document/clauses.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "document/text_range.h"
#include "text/words.h"

namespace softalign {
namespace {

using Texts = std::vector<std::string>;

Texts parts(const std::string& text, std::size_t most) {
    Texts result;
    for (const TextRange& range :
         cut_at_clauses(text, {0, text.size()}, most, [](std::string_view part) { return words_of(part).size(); })) {
        result.emplace_back(range.of(text));
    }
    return result;
}

TEST(Clauses, AShortSentenceIsWhole) {
    EXPECT_EQ(parts("one, two three", 3), (Texts{"one, two three"}));
}

TEST(Clauses, EndAtPunctuationNearTheMiddle) {
    EXPECT_EQ(parts("one two, three four five; six seven", 5), (Texts{"one two, three four five;", "six seven"}));
    EXPECT_EQ(parts("one two three four five six", 4), (Texts{"one two three", "four five six"}));
    EXPECT_EQ(parts("it costs 1,000,000 dollars, said Paul", 4), (Texts{"it costs 1,000,000 dollars,", "said Paul"}));
}

TEST(Clauses, OrBetweenCharacters) {
    std::string text;
    for (int i = 0; i < 12; ++i) {
        text += "\xE6\xBC\xA2";
    }
    std::string all;
    for (const TextRange& range :
         cut_at_clauses(text, {0, text.size()}, 4, [](std::string_view part) { return part.size() / 3; })) {
        EXPECT_LE(range.size(), 12U);
        EXPECT_EQ(range.size() % 3, 0U);
        all += range.of(text);
    }
    EXPECT_EQ(all, text);
}

TEST(Clauses, WhatCannotBeCutIsLeft) {
    const auto parts = cut_at_clauses("x", {0, 1}, 1, [](std::string_view) { return std::size_t{9}; });
    EXPECT_EQ(parts, (std::vector<TextRange>{{0, 1}}));
}

}  // namespace
}  // namespace softalign
