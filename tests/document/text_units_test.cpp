#include "document/text_units.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string_view>

namespace softalign {
namespace {

TEST(TextUnits, WordsGoOnWithLettersDigitsAndWhatJoinsThem) {
    for (const char* text : {"a", "7", "_", "-", "'s", "\xE2\x80\x99", "\xC3\xBC", "\xCC\x88", "\xD0\xB6", "\xC3"}) {
        EXPECT_TRUE(begins_in_word(text)) << text;
        EXPECT_TRUE(ends_in_word(text)) << text;
    }
    for (const char* text : {"", ".", ",", "(", " ", "\xE2\x80\x9C", "\xE4\xBD\xA0", "\xE3\x81\x82", "\xE0\xB8\x81"}) {
        EXPECT_FALSE(begins_in_word(text)) << text;
        EXPECT_FALSE(ends_in_word(text)) << text;
    }
    EXPECT_TRUE(begins_in_word("a.") && !ends_in_word("a."));
    EXPECT_TRUE(!begins_in_word(".a") && ends_in_word(".a"));
}

TEST(TextUnits, CompoundsAreWhatAHyphenJoinsToALetter) {
    const auto is_joined = [](std::string_view text) {
        const std::size_t begin = text.find('5');
        return is_in_compound(text, {begin, begin + 1});
    };
    for (const char* const text : {"5-year", "A-5", "a12-5", "5%-off", "\u00C4\u20105", "5\u2011\u00E4"}) {
        EXPECT_TRUE(is_joined(text)) << text;
    }
    for (const char* const text :
         {"5", "-5", "5-", "5-7", "7-5", "12-5", "a 7-5", "5 -a", "a -5", "5\u2013a", "5km", "5%", "%-5"}) {
        EXPECT_FALSE(is_joined(text)) << text;
    }
}

}  // namespace
}  // namespace softalign
