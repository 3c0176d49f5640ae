#include "base/strings.h"

#include <gtest/gtest.h>

#include <string>

namespace softalign {
namespace {

TEST(TerminalText, LeavesTextAsItIs) {
    for (const char* text : {"", "plain text", "two\nlines\tand a tab", "Müller, 東京, 𝄞", "\xC2\xA0"}) {
        EXPECT_EQ(terminal_text(text), text);
    }
}

TEST(TerminalText, SpellsWhatATerminalWouldObey) {
    EXPECT_EQ(terminal_text("\x1B]0;title\a\r"), "\\x1B]0;title\\x07\\x0D");
    EXPECT_EQ(terminal_text("\x7F\xC2\x80\xC2\x9B"
                            "31m\xC2\x9F"),
              "\\x7F\\x80\\x9B31m\\x9F");
    EXPECT_EQ(terminal_text(std::string("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(terminal_text("\xE2\x80\xAE"
                            "gpj\xE2\x80\xA8\xE2\x81\xA6"),
              "\\u202Egpj\\u2028\\u2066");
}

TEST(TerminalText, SpellsBytesThatAreNoUtf8) {
    EXPECT_EQ(terminal_text("a\xFF\xFE-\xC3"), "a\\xFF\\xFE-\\xC3");
    EXPECT_EQ(terminal_text("\xC0\xAF\xED\xA0\x80"), "\\xC0\\xAF\\xED\\xA0\\x80");
}

// Every pair of bytes.
TEST(TerminalText, GivesNothingButTextThatCanBeShown) {
    for (int first = 0; first < 256; ++first) {
        for (int second = 0; second < 256; ++second) {
            const std::string shown = terminal_text(std::string{static_cast<char>(first), static_cast<char>(second)});
            ASSERT_EQ(first_invalid_utf8(shown), 0U) << first << " " << second;
            ASSERT_EQ(terminal_text(shown), shown) << first << " " << second;
        }
    }
}

}  // namespace
}  // namespace softalign
