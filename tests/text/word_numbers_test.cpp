#include "text/word_numbers.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/words.h"

namespace softalign {
namespace {

using Numbers = std::vector<std::size_t>;
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

TEST(WordNumbers, CountWhatNormalisationDeletesAndWrites) {
    EXPECT_EQ(word_numbers("abcd e", pieces_of), (Numbers{0, 0, 0, 1}));
    EXPECT_EQ(word_numbers("# a ## b #", pieces_of), (Numbers{1, 3}));
    EXPECT_EQ(word_numbers("#a b# c", pieces_of), (Numbers{0, 1, 2}));
    EXPECT_EQ(word_numbers("& & c", pieces_of), (Numbers{0, 0, 1, 1, 2}));
    EXPECT_EQ(word_numbers("a&b c", pieces_of), (Numbers{0, 0, 0, 0, 1}));
    EXPECT_TRUE(word_numbers("# #", pieces_of).empty());
    EXPECT_TRUE(word_numbers("", pieces_of).empty());
}

TEST(WordNumbers, OnePieceMayHoldSeveralWords) {
    const auto whole = [](std::string_view text) { return Pieces{mark + std::string(text)}; };
    EXPECT_EQ(word_numbers("a b c", whole), Numbers{0});
    const auto halves = [](std::string_view text) {
        return Pieces{std::string(text.substr(0, text.size() / 2)), std::string(text.substr(text.size() / 2))};
    };
    EXPECT_EQ(word_numbers("a b cd", halves), (Numbers{0, 2}));
    EXPECT_EQ(word_numbers("a bc d", halves), (Numbers{0, 1}));
}

TEST(WordNumbers, WhiteSpaceBelongsToWhatFollows) {
    const auto letters = [](std::string_view text) {
        Pieces pieces;
        for (const char c : text) {
            pieces.push_back(c == ' ' ? mark : std::string(1, c));
        }
        return pieces;
    };
    EXPECT_EQ(word_numbers(" a bc ", letters), (Numbers{0, 0, 1, 1, 1, 1}));
    EXPECT_EQ(word_numbers("  ", letters), (Numbers{0, 0}));
}

}  // namespace
}  // namespace softalign
