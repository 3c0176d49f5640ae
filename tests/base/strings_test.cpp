#include "base/strings.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace softalign {
namespace {

TEST(Strings, BeginningsAndEnds) {
    EXPECT_TRUE(starts_with("--beam", "--"));
    EXPECT_TRUE(starts_with("--", "--"));
    EXPECT_TRUE(starts_with("", ""));
    EXPECT_FALSE(starts_with("-", "--"));
    EXPECT_TRUE(ends_with("x.npy", ".npy"));
    EXPECT_TRUE(ends_with(".npy", ".npy"));
    EXPECT_TRUE(ends_with("x", ""));
    EXPECT_FALSE(ends_with("npy", ".npy"));
}

TEST(Strings, JoinPutsTheSeparatorBetweenAllItems) {
    EXPECT_EQ(join({}), "");
    EXPECT_EQ(join({"a"}), "a");
    EXPECT_EQ(join({"a", "b", "c"}), "a, b, c");
    EXPECT_EQ(join({"", "b", ""}, "\t"), "\tb\t");
}

TEST(Strings, ReplaceAllLeavesWhatItHasPutIn) {
    const auto replaced = [](std::string text, const char* from, const char* to) {
        replace_all(text, from, to);
        return text;
    };
    EXPECT_EQ(replaced("a.b.", ".", ", "), "a, b, ");
    EXPECT_EQ(replaced("aaa", "a", "aa"), "aaaaaa");
    EXPECT_EQ(replaced("aaa", "aa", "b"), "ba");
    EXPECT_EQ(replaced("abc", "b", ""), "ac");
    EXPECT_EQ(replaced("", "b", "c"), "");
}

TEST(Strings, DigitsAreAsciiAndAtLeastOne) {
    EXPECT_TRUE(is_digits("0"));
    EXPECT_TRUE(is_digits("0123456789"));
    EXPECT_FALSE(is_digits(""));
    EXPECT_FALSE(is_digits("-1"));
    EXPECT_FALSE(is_digits("1 "));
    EXPECT_FALSE(is_digits("\u0661"));  // the Arabic digit
}

TEST(Strings, NumbersAreTheWholeText) {
    std::int32_t count = 0;
    EXPECT_TRUE(read_number("-12", count));
    EXPECT_EQ(count, -12);
    for (const char* text : {"", "+1", " 1", "1 ", "1.0", "0x1", "2147483648"}) {
        EXPECT_FALSE(read_number(text, count)) << text;
    }
    double value = 0.0;
    EXPECT_TRUE(read_number("-2.5e-1", value));
    EXPECT_EQ(value, -0.25);
    EXPECT_FALSE(read_number("1,5", value));
}

TEST(Strings, LaterBytesOfCharacters) {
    EXPECT_TRUE(is_utf8_continuation('\x80'));
    EXPECT_TRUE(is_utf8_continuation('\xBF'));
    for (const char byte : {'\0', 'a', '\x7F', '\xC0', '\xE2', '\xFF'}) {
        EXPECT_FALSE(is_utf8_continuation(byte));
    }
}

}  // namespace
}  // namespace softalign
