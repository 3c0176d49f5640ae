#include "base/strings.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace softalign {
namespace {

TEST(Utf8, AcceptsTheFirstAndLastCharacterOfEachLength) {
    using namespace std::string_literals;
    EXPECT_EQ(first_invalid_utf8(""), 0U);
    EXPECT_EQ(first_invalid_utf8("\x00\x7F"s), 0U);
    EXPECT_EQ(first_invalid_utf8("\xC2\x80\xDF\xBF"), 0U);
    EXPECT_EQ(first_invalid_utf8("\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF"), 0U);
    EXPECT_EQ(first_invalid_utf8("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"), 0U);
    EXPECT_EQ(first_invalid_utf8("a long enough line for whole words at a time, gr\xC3\xBC\xC3\x9F"), 0U);
}

TEST(Utf8, RejectsWhatIsNotWellFormed) {
    EXPECT_EQ(first_invalid_utf8("\x80"), 1U);              // a continuation byte alone
    EXPECT_EQ(first_invalid_utf8("\xC0\x80"), 1U);          // overlong
    EXPECT_EQ(first_invalid_utf8("\xC1\xBF"), 1U);          // overlong
    EXPECT_EQ(first_invalid_utf8("\xE0\x9F\xBF"), 1U);      // overlong
    EXPECT_EQ(first_invalid_utf8("\xED\xA0\x80"), 1U);      // surrogate
    EXPECT_EQ(first_invalid_utf8("\xF0\x8F\xBF\xBF"), 1U);  // overlong
    EXPECT_EQ(first_invalid_utf8("\xF4\x90\x80\x80"), 1U);  // above U+10FFFF
    EXPECT_EQ(first_invalid_utf8("\xF5\x80\x80\x80"), 1U);
    EXPECT_EQ(first_invalid_utf8("\xFF\xFE"), 1U);
    EXPECT_EQ(first_invalid_utf8("ab\xC3"), 3U);  // cut short
    EXPECT_EQ(first_invalid_utf8("ab\xE2\x82"), 3U);
    EXPECT_EQ(first_invalid_utf8("ab\xF0\x9F\x98"), 3U);
    EXPECT_EQ(first_invalid_utf8("ab\xE2\x82zz"), 3U);
    EXPECT_EQ(first_invalid_utf8("ab\xF0\x9F\x98zz"), 3U);
}

TEST(Utf8, NamesTheColumnWhereverTheByteStands) {
    for (std::size_t at = 0; at < 40; ++at) {
        std::string text(40, 'x');
        text[at] = '\xE9';  // Latin-1
        EXPECT_EQ(first_invalid_utf8(text), at + 1);
    }
    EXPECT_EQ(first_invalid_utf8("gr\xC3\xBC\xC3\x9F\xFC"), 7U);  // counted in bytes
}

TEST(Utf8, RunsOfOtherBytesAreReplaced) {
    EXPECT_EQ(as_utf8(""), "");
    EXPECT_EQ(as_utf8("a\xC3\xA4"), "a\xC3\xA4");
    EXPECT_EQ(as_utf8("\xFF\xFE"
                      "a\xED\xA0\x80 \xC3"),
              "\xEF\xBF\xBD"
              "a\xEF\xBF\xBD \xEF\xBF\xBD");
}

}  // namespace
}  // namespace softalign
