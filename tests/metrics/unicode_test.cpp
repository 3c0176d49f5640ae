#include "metrics/tokenizers.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <ios>
#include <string>
#include <string_view>
#include <vector>

namespace softalign {
namespace {

using Words = std::vector<std::string_view>;

TEST(Utf8, ComesBackAsItWas) {
    const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80" + std::string(1, '\0') + "z";
    EXPECT_EQ(decode_utf8(text), std::u32string(U"a\u00E9\u20AC\U0001F600") + U'\0' + U'z');
    EXPECT_EQ(encode_utf8(decode_utf8(text)), text);
}

// A stray continuation, a cut sequence, an overlong form, a surrogate, and what lies beyond U+10FFFF.
TEST(Utf8, InvalidBytesAreKeptOneByOne) {
    for (const std::string text : {"\x80", "\xE2\x82", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                   "\xF8\x88\x80\x80\x80", "\xFF"}) {
        EXPECT_EQ(decode_utf8(text).size(), text.size());
        EXPECT_EQ(encode_utf8(decode_utf8(text)), text);
        EXPECT_EQ(sequence_length(text, 0), 1U);
    }
}

TEST(Spaces, AreThoseOfPython) {
    const std::u32string spaces =
        U"\t\n\v\f\r\x1C\x1D\x1E\x1F \u0085\u00A0\u1680\u2000\u2005\u200A\u2028\u2029\u202F\u205F\u3000";
    for (const char32_t space : spaces) {
        EXPECT_TRUE(is_space(space)) << std::hex << static_cast<std::uint32_t>(space);
    }
    for (const char32_t other : std::u32string(U"a\x08\x0E\x1B\u0084\u00AD\u180E\u200B\u2060\uFEFF")) {
        EXPECT_FALSE(is_space(other)) << std::hex << static_cast<std::uint32_t>(other);
    }
}

TEST(Spaces, SplitAndStrip) {
    EXPECT_EQ(split_words(" a\xC2\xA0\xE3\x80\x80"
                          "bc\td "),
              (Words{"a", "bc", "d"}));
    EXPECT_EQ(split_words("one"), Words{"one"});
    EXPECT_EQ(split_words(""), Words{});
    EXPECT_EQ(split_words(" \xE2\x80\x83\n"), Words{});
    EXPECT_EQ(strip_right(" a b\xC2\xA0 \n"), " a b");
    EXPECT_EQ(strip("\xE3\x80\x80 a b\x1F"), "a b");
    EXPECT_EQ(strip(" \xC2\xA0"), "");
    EXPECT_EQ(strip_right("a\x80 "), "a\x80");
}

TEST(Categories, OfCharactersFromManyBlocks) {
    for (const char32_t number : std::u32string(U"07\u00B2\u00BD\u0663\u2460\u3007\U0001D7D8")) {
        EXPECT_TRUE(is_number(number)) << std::hex << static_cast<std::uint32_t>(number);
    }
    for (const char32_t punctuation : std::u32string(U"!-_%\u00BF\u00AB\u2014\u2026\u3001\uFF0C\U0001E95E")) {
        EXPECT_TRUE(is_punctuation(punctuation)) << std::hex << static_cast<std::uint32_t>(punctuation);
    }
    for (const char32_t symbol : std::u32string(U"$+^`\u00A9\u20AC\u2264\u2665\U0001F600\U0001FAE8")) {
        EXPECT_TRUE(is_symbol(symbol)) << std::hex << static_cast<std::uint32_t>(symbol);
    }
    for (const char32_t letter : std::u32string(U"a \u00E9\u4E2D\u0301\u00AD\U00020000")) {
        EXPECT_FALSE(is_number(letter) || is_punctuation(letter) || is_symbol(letter));
    }
}

TEST(Lowercase, SimpleMappings) {
    EXPECT_EQ(to_lower("HeLLo [W0RLD] @Z`z{"), "hello [w0rld] @z`z{");
    EXPECT_EQ(to_lower("ÄÖÜ ÉÇ ŁŻŹ ŒŸ ẞ Ǆǅ"), "äöü éç łżź œÿ ß ǆǆ");
    EXPECT_EQ(to_lower("ПРИВЕТ Ѐ ΑΆ ԱԲ ႠⰀ Ꭰ Ⓐ Ａ 𐐀 𞤀"),
              "привет ѐ αά աբ ⴀⰰ ꭰ ⓐ ａ 𐐨 𞤢");
    EXPECT_EQ(to_lower("ß ŉ ǰ ª ⁿ 中"), "ß ŉ ǰ ª ⁿ 中");
    EXPECT_EQ(to_lower("Ā\xFF"
                       "A\x80"),
              "ā\xFF"
              "a\x80");
}

TEST(Lowercase, DottedCapitalIBecomesTwoCodePoints) {
    EXPECT_EQ(to_lower("İI"), "i\xCC\x87i");
}

TEST(Lowercase, SigmaAtTheEndOfAWordIsFinal) {
    EXPECT_EQ(to_lower("ΣΊΣΥΦΟΣ"), "σίσυφος");
    EXPECT_EQ(to_lower("ΟΔΟΣ ΣΑΣ"), "οδος σας");
    EXPECT_EQ(to_lower("Σ"), "σ");
    EXPECT_EQ(to_lower("1Σ"), "1σ");
    EXPECT_EQ(to_lower("Α.Σ."), "α.ς.");  // a period is ignorable
    EXPECT_EQ(to_lower("ΑΣ.Β"), "ασ.β");
    EXPECT_EQ(to_lower("Α\xCC\x81Σ\xCC\x81!"), "α\xCC\x81ς\xCC\x81!");
}

}  // namespace
}  // namespace softalign
