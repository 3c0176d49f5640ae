#include "document/placeholders.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "document/marked_text.h"
#include "text/placeholder_pieces.h"

namespace softalign {
namespace {

using Texts = std::vector<std::string>;
using Pair = std::pair<std::string, std::string>;

const SpanFinder& common() {
    static const SpanFinder finder(true, {});
    return finder;
}

// Written with {a} for the placeholder of that name.
std::string read(std::string text) {
    for (std::size_t number = 0; number < 702; ++number) {
        const std::string held = placeholder(number);
        const std::string written = "{" + held.substr(3, held.size() - 6) + "}";
        for (std::size_t at = text.find(written); at != std::string::npos; at = text.find(written, at)) {
            text.replace(at, written.size(), held);
        }
    }
    return text;
}

Pair put(const std::string& source_text, const std::string& target_text, std::size_t most = 10) {
    std::string source = source_text;
    std::string target = target_text;
    put_placeholders(common(), most, source, target);
    return {source, target};
}

Pair pair(const std::string& source, const std::string& target) {
    return {read(source), read(target)};
}

TEST(Placeholders, LookLikeThis) {
    EXPECT_EQ(placeholders(2), (Texts{"\xE2\xA6\x83"
                                      "a\xE2\xA6\x84",
                                      "\xE2\xA6\x83"
                                      "b\xE2\xA6\x84"}));
    EXPECT_EQ(placeholder(25), read("{z}"));
    EXPECT_EQ(placeholder(26), read("{aa}"));
    EXPECT_EQ(placeholder(701), read("{zz}"));
    EXPECT_EQ(placeholders_in(read("a{b} {} {1} {aa}{")).size(), 2U);
}

TEST(Placeholders, StandForWhatBothSidesHave) {
    EXPECT_EQ(put("see https://a.org/x?y now", "siehe https://a.org/x?y jetzt"),
              pair("see {a} now", "siehe {a} jetzt"));
    EXPECT_EQ(put("%s has 12 of %d", "%d: %s hat 12"), pair("{a} has {b} of {c}", "{c}: {a} hat {b}"));
    // In order where there are several of one.
    EXPECT_EQ(put("5 and 5", "5 und 5"), pair("{a} and {b}", "{a} und {b}"));
    // What one side lacks, has more often or spells in another way stays.
    EXPECT_EQ(put("5 dogs, 7 cats", "five dogs, 7 cats"), pair("5 dogs, {a} cats", "five dogs, {a} cats"));
    EXPECT_EQ(put("1,000 and 5", "1.000 und 5 und 5"), pair("1,000 and 5", "1.000 und 5 und 5"));
    // Inside another span it is none.
    EXPECT_EQ(put("5", "www.a.org/5"), pair("5", "www.a.org/5"));
    EXPECT_EQ(put("1 2 3", "3 2 1", 2), pair("{a} {b} 3", "3 {b} {a}"));
    // A text that has some of its own.
    EXPECT_EQ(put(read("{b} is 5"), read("5 ist {b}")), pair("{a} is {b}", "{b} ist {a}"));
    EXPECT_EQ(put("", ""), pair("", ""));
}

TEST(Placeholders, CopiesOfASentenceBecomePlaceholdersAndBack) {
    MarkedText plain;
    plain.text = "(see www.a.org) %s,x %d www.b.org";
    const MarkedText whole = with_spans(plain, common().find(plain.text));
    MarkedSentence sentence = marked_sentence(whole, {0, whole.text.size()});
    const Texts held = hold_copies(sentence, 3);
    EXPECT_EQ(held, (Texts{"www.a.org", "%s", "%d"}));
    EXPECT_EQ(sentence.text.substr(0, sentence.text.find("x")), read("(see {a}) {b},"));
    ASSERT_EQ(sentence.copies.size(), 1U);
    EXPECT_EQ(sentence.copies.front().text, "www.b.org");
    EXPECT_GE(sentence.copies.front().at, sentence.text.find(placeholder(2)) + placeholder(2).size());
    EXPECT_EQ(with_held(sentence.text, held).substr(0, 23), "(see www.a.org) %s,x %d");
}

TEST(Placeholders, TagsStayAroundTheirText) {
    MarkedText whole;
    whole.text = "one " + std::string(object_mark) + " two " + std::string(object_mark) + ".";
    whole.atoms = {{{4, 7}, "%s", false}, {{12, 15}, "%d", false}};
    whole.marks = {{{0, 3}, "<b>", "</b>"}, {{8, 15}, "<i>", "</i>"}};
    MarkedSentence sentence = marked_sentence(whole, {0, whole.text.size()});
    EXPECT_EQ(hold_copies(sentence, 9), (Texts{"%s", "%d"}));
    EXPECT_EQ(sentence.text, read("one {a} two {b}."));
    ASSERT_EQ(sentence.tags.size(), 2U);
    EXPECT_EQ(sentence.tags[0].range.of(sentence.text), "one");
    EXPECT_EQ(sentence.tags[1].range.of(sentence.text), read("two {b}"));
}

TEST(Placeholders, EachStandsOnceWhateverTheModelWrites) {
    EXPECT_EQ(with_held(read("{b} und {a} und {b} !"), {"1", "2"}), "2 und 1 und !");
    EXPECT_EQ(with_held("nichts", {"1", "2"}), "nichts 1 2");
    EXPECT_EQ(with_held(read("({b}{a}km, x{c}{d}!)"), {"1", "2", "%s", "3"}), "(2 1 km, x%s 3!)");
    EXPECT_EQ(with_held("", {"1"}), "1");
    EXPECT_EQ(with_held(read("{c} \xE2\xA6\x83zzz\xE2\xA6\x84 ja"), {}), "ja");
    Random random(3);
    const Texts held = {"<one>", "<two>", "<three>"};
    for (int trial = 0; trial < 2000; ++trial) {
        std::string written;
        for (std::uint64_t words = random.below(8); words > 0; --words) {
            written += random.below(3) == 0 ? "" : " ";
            written += random.below(2) == 0 ? "wort" : placeholder(random.below(5));
        }
        const std::string text = with_held(written, held);
        EXPECT_TRUE(placeholders_in(text).empty()) << written;
        for (const std::string& span : held) {
            const std::size_t first = text.find(span);
            ASSERT_NE(first, std::string::npos) << written;
            EXPECT_EQ(text.find(span, first + 1), std::string::npos) << written;
        }
    }
}

}  // namespace
}  // namespace softalign
