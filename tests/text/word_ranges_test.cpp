#include "text/words.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace softalign {
namespace {

using Numbers = std::vector<std::size_t>;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
using Pieces = std::vector<std::string>;

const std::string mark = "\xE2\x96\x81";

// A normalisation that deletes "#" and writes "&" as "x y"; pieces of two letters, or one with a space before it.
Pieces pieces_of(std::string_view text) {
    std::string normal;
    for (const char c : text) {
        normal += c == '#' ? "" : c == '&' ? "x y" : std::string(1, c);
    }
    Pieces pieces;
    for (const std::string_view word : words_of(normal)) {
        pieces.push_back(mark + std::string(word.substr(0, 1)));
        for (std::size_t i = 1; i < word.size(); i += 2) {
            pieces.emplace_back(word.substr(i, 2));
        }
    }
    return pieces;
}

template <typename PiecesOf>
Pairs ranges(std::string_view text, const PiecesOf& of) {
    Pairs found;
    for (const WordRange& range : word_ranges(words_of(text), of(text), of)) {
        found.emplace_back(range.begin, range.end);
    }
    return found;
}

// The words of pieces that each have one.
template <typename PiecesOf>
Numbers numbers(std::string_view text, const PiecesOf& of) {
    Numbers found;
    for (const auto& [begin, end] : ranges(text, of)) {
        EXPECT_EQ(end, begin + 1) << text;
        found.push_back(begin);
    }
    return found;
}

TEST(WordRanges, CountWhatNormalisationDeletesAndWrites) {
    EXPECT_EQ(numbers("abcd e", pieces_of), (Numbers{0, 0, 0, 1}));
    EXPECT_EQ(numbers("# a ## b #", pieces_of), (Numbers{1, 3}));
    EXPECT_EQ(numbers("#a b# c", pieces_of), (Numbers{0, 1, 2}));
    EXPECT_EQ(numbers("& & c", pieces_of), (Numbers{0, 0, 1, 1, 2}));
    EXPECT_EQ(numbers("a&b c", pieces_of), (Numbers{0, 0, 0, 0, 1}));
    EXPECT_TRUE(numbers("# #", pieces_of).empty());
    EXPECT_TRUE(numbers("", pieces_of).empty());
}

TEST(WordRanges, OnePieceMayHoldSeveralWords) {
    const auto whole = [](std::string_view text) { return Pieces{mark + std::string(text)}; };
    EXPECT_EQ(ranges("a b c", whole), (Pairs{{0, 3}}));
    const auto halves = [](std::string_view text) {
        return Pieces{std::string(text.substr(0, text.size() / 2)), std::string(text.substr(text.size() / 2))};
    };
    EXPECT_EQ(ranges("a b cd", halves), (Pairs{{0, 2}, {2, 3}}));
    EXPECT_EQ(ranges("a bc d", halves), (Pairs{{0, 2}, {1, 3}}));
}

TEST(WordRanges, WhiteSpaceBelongsToWhatFollows) {
    const auto letters = [](std::string_view text) {
        Pieces pieces;
        for (const char c : text) {
            pieces.push_back(c == ' ' ? mark : std::string(1, c));
        }
        return pieces;
    };
    EXPECT_EQ(numbers(" a bc ", letters), (Numbers{0, 0, 1, 1, 1, 1}));
    EXPECT_EQ(ranges("  ", letters), (Pairs{{0, 0}, {0, 0}}));
}

TEST(WordRanges, NoWordBehindTheLastPieceIsSegmented) {
    std::size_t asked = 0;
    const auto counted = [&](std::string_view word) {
        ++asked;
        return pieces_of(word);
    };
    const std::vector<std::string_view> words(1000, "ab");
    EXPECT_EQ(word_ranges(words, {mark + "a", "b", mark + "a"}, counted).back().begin, 1U);
    EXPECT_EQ(asked, 2U);
    asked = 0;
    EXPECT_EQ(word_ranges({"abcdef"}, {mark + "a", "bc"}, counted).back().end, 1U);
    EXPECT_EQ(asked, 0U);
}

}  // namespace
}  // namespace softalign
