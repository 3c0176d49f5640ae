#include "text/words.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace softalign {
namespace {

using Views = std::vector<std::string_view>;

TEST(WordsOf, BetweenSpacesOfAnyKind) {
    EXPECT_EQ(words_of("the cat,  sees\tit"), (Views{"the", "cat,", "sees", "it"}));
    EXPECT_EQ(words_of("  the cat \n"), (Views{"the", "cat"}));
    EXPECT_EQ(words_of("a\xC2\xA0"
                       "b\xE3\x80\x80"
                       "c\xE2\x80\xA8"
                       "d\xC2\x85"
                       "e"),
              (Views{"a", "b", "c", "d", "e"}));
    EXPECT_EQ(words_of("stra\xC3\x9F"
                       "e \xE4\xB8\xAD\xE6\x96\x87"),
              (Views{"stra\xC3\x9F"
                     "e",
                     "\xE4\xB8\xAD\xE6\x96\x87"}));
    EXPECT_TRUE(words_of("").empty());
    EXPECT_TRUE(words_of(" \t\xE3\x80\x80").empty());
}

// U+200B, U+200C, U+200E, U+200F, U+2581, U+FEFF and U+FFFD, which nmt_nfkc turns into spaces, have not the property.
TEST(WordsOf, OnlyWhiteSpaceDividesThem) {
    const std::string text =
        "a\xE2\x80\x8B"
        "b\xE2\x80\x8C\xE2\x80\x8E\xE2\x80\x8F\xE2\x96\x81\xEF\xBB\xBF\xEF\xBF\xBD"
        "c";
    EXPECT_EQ(words_of(text), Views{text});
    EXPECT_EQ(words_of(text, {"\xE2\x80\x8B"}), (Views{"a", std::string_view(text).substr(4)}));
}

TEST(WordsOf, AreViewsOfTheText) {
    const std::string text = "ein Haus";
    const Views words = words_of(text);
    ASSERT_EQ(words.size(), 2U);
    EXPECT_EQ(words[1].data(), text.data() + 4);
}

TEST(WordsOf, TakesAnyBytes) {
    EXPECT_EQ(words_of("\xE2\x80 \xE2"), (Views{"\xE2\x80", "\xE2"}));
}

TEST(IsBlank, WithNothingButSpaces) {
    EXPECT_TRUE(is_blank(""));
    EXPECT_TRUE(is_blank(" \t\r\n\v\f"));
    EXPECT_FALSE(is_blank(" ."));
}

}  // namespace
}  // namespace softalign
