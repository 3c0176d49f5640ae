#include "document/text_units.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace softalign
