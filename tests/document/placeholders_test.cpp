#include "document/placeholders.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "document/kept_spans.h"
#include "document/mark_placement.h"
#include "document/marked_text.h"
#include "document/text_range.h"
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

// A sentence without tags, with its spans held.
MarkedSentence held_in(const std::string& text, std::size_t most = 9) {
    MarkedText plain;
    plain.text = text;
    std::vector<TextRange> spans = common().find(text);
    add_apart(spans, numbers_of(text));
    const MarkedText whole = with_spans(plain, spans);
    MarkedSentence sentence = marked_sentence(whole, {0, whole.text.size()});
    hold_copies(sentence, most);
    return sentence;
}

Texts texts_of(const std::vector<MarkedSentence::Copy>& copies) {
    Texts texts;
    for (const MarkedSentence::Copy& copy : copies) {
        texts.push_back(copy.text);
    }
    return texts;
}

// What becomes of a translation with placeholders, written with {a}.
std::string done(const MarkedSentence& source, const std::string& translation, const WordLinks& links = {}) {
    const LinkedTranslation whole = with_held({source, read(translation), links});
    return with_marks(whole.source, whole.text, whole.links);
}

std::string done(const std::string& source, const std::string& translation) {
    return done(held_in(source), translation);
}

TEST(Placeholders, CopiesOfASentenceBecomePlaceholdersAndBack) {
    const MarkedSentence sentence = held_in("(see www.a.org) %s,x %d www.b.org", 3);
    EXPECT_EQ(texts_of(sentence.held), (Texts{"www.a.org", "%s", "%d"}));
    EXPECT_EQ(sentence.text.substr(0, sentence.text.find("x")), read("(see {a}) {b},"));
    EXPECT_EQ(texts_of(sentence.copies), Texts{"www.b.org"});
    EXPECT_GE(sentence.copies.front().at, sentence.text.find(placeholder(2)) + placeholder(2).size());
    EXPECT_EQ(done(sentence, "(see {a}) {b},x {c}").substr(0, 23), "(see www.a.org) %s,x %d");
}

// They stand for escapes as for any span, and those that are left are white space.
TEST(Placeholders, StandForEscapes) {
    EXPECT_EQ(held_in("one\\nTwo \\t\\nThree").text, read("one{a}Two {b}{c}Three"));
    EXPECT_EQ(held_in("one\\nTwo\\tThree", 1).text, read("one{a}Two Three"));
    EXPECT_EQ(held_in("see {x}\\nGolf", 1).text, read("see {a} Golf"));
    EXPECT_EQ(done("one\\nTwo \\tthree", "{b}x y{a}z"), "\\tx y\\nz");
}

TEST(Placeholders, TagsStayAroundTheirText) {
    MarkedText whole;
    whole.text = "one " + std::string(object_mark) + " two " + std::string(object_mark) + ".";
    whole.atoms = {{{4, 7}, "%s", false}, {{12, 15}, "%d", false}};
    whole.marks = {{{0, 3}, "<b>", "</b>"}, {{8, 15}, "<i>", "</i>"}};
    MarkedSentence sentence = marked_sentence(whole, {0, whole.text.size()});
    hold_copies(sentence, 9);
    EXPECT_EQ(texts_of(sentence.held), (Texts{"%s", "%d"}));
    EXPECT_EQ(sentence.text, read("one {a} two {b}."));
    ASSERT_EQ(sentence.tags.size(), 2U);
    EXPECT_EQ(sentence.tags[0].range.of(sentence.text), "one");
    EXPECT_EQ(sentence.tags[1].range.of(sentence.text), read("two {b}"));
}

// A tag keeps the spans that begin or end it, and no neighbour of theirs.
TEST(Placeholders, TagsKeepTheSpansAtTheirEnds) {
    const std::string o(object_mark);
    MarkedText whole;
    whole.text = o + " " + o + " two " + o + o + " " + o + "x";
    whole.atoms = {{{0, 3}, "1"}, {{4, 7}, "2"}, {{12, 15}, "3"}, {{15, 18}, "4"}, {{19, 22}, "5"}};
    whole.marks = {{{4, 15}, "<a>", "</a>"}, {{4, 11}, "<b>", "</b>"}, {{19, 23}, "<i>", "</i>"}};
    MarkedSentence sentence = marked_sentence(whole, {0, whole.text.size()});
    hold_copies(sentence, 9);
    ASSERT_EQ(sentence.tags.size(), 3U);
    EXPECT_EQ(sentence.text, read("{a} {b} two {c}{d} {e}x"));
    EXPECT_EQ(sentence.tags[0].range.of(sentence.text), read("{b} two {c}"));
    EXPECT_EQ(sentence.tags[1].range.of(sentence.text), read("{b} two"));
    EXPECT_EQ(sentence.tags[2].range.of(sentence.text), read("{e}x"));
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(sentence.held[i].at, sentence.text.find(placeholder(i)));
    }
    const WordLinks links = {{0, 0, 0, 1, 0}, {0, 1, 0, 0, 0}, {0, 0, 1, 0, 0}, {1, 0, 0, 0, 0}, {0, 0, 0, 0, 1}};
    EXPECT_EQ(done(sentence, "{d}{c} {b} zwei {a} {e}x", links), "4 <a>3 <b>2 zwei</b></a> 1 <i>5 x</i>");
    // They come from themselves, whatever the model attended to.
    EXPECT_EQ(done(sentence, "{d}{c} {b} zwei {a} {e}x", WordLinks(5, {1, 0, 0, 0, 0})),
              "4 <a>3 <b>2</b></a> zwei 1 <i>5</i> x");
}

// A model may write them in any order; then those that would leave their tag are placed as copies are.
TEST(Placeholders, StayInTheirTags) {
    const std::string o(object_mark);
    MarkedText whole;
    whole.text = "one " + o + " " + o + " two " + o + " three";
    whole.atoms = {{{4, 7}, "1"}, {{8, 11}, "2"}, {{16, 19}, "3"}};
    whole.marks = {{{0, 11}, "<a>", "</a>"}, {{12, 19}, "<b>", "</b>"}};
    MarkedSentence sentence = marked_sentence(whole, {0, whole.text.size()});
    hold_copies(sentence, 9);
    EXPECT_EQ(sentence.text, read("one {a} {b} two {c} three"));
    const auto text =
        done(sentence, "{a} zwei {b} {c} drei",
             {{0, 1, 0, 0, 0, 0}, {0, 0, 0, 1, 0, 0}, {0, 0, 1, 0, 0, 0}, {0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 1}});
    for (const char* const part : {"<a>", "</a>", "<b>", "</b>", "1", "2", "3"}) {
        ASSERT_NE(text.find(part), std::string::npos) << text;
        EXPECT_EQ(text.find(part), text.rfind(part)) << text;
    }
    const auto is_inside = [&](const char* span, const char* open, const char* close) {
        return text.find(open) < text.find(span) && text.find(span) < text.find(close);
    };
    EXPECT_TRUE(is_inside("1", "<a>", "</a>") && is_inside("2", "<a>", "</a>")) << text;
    EXPECT_TRUE(is_inside("3", "<b>", "</b>")) << text;
}

// Whatever the links of a word are, and however words are glued, no tag or copy is inside a placeholder.
TEST(Placeholders, TagsAndCopiesAreOutsideOfThem) {
    MarkedText whole;
    const std::string o(object_mark);
    whole.text = "at " + o + " or " + o + " two.";
    whole.atoms = {{{3, 6}, "<1>"}, {{10, 13}, "<2>"}};
    whole.marks = {{{0, 2}, "<b>", "</b>"}, {{10, 17}, "<i>", "</i>"}};
    for (std::size_t most = 0; most <= 2; ++most) {
        MarkedSentence sentence = marked_sentence(whole, {0, whole.text.size()});
        hold_copies(sentence, most);
        for (const char* const translation : {"{a}. {b}zwei bei", "bei{a}{b}.", "({b}) bei \"{a}\", zwei", "{b}{a}"}) {
            for (std::size_t column = 0; column < 6; ++column) {
                std::vector<float> row(6, 0.1F);
                row[column] = 1.0F;
                const std::string text = done(sentence, translation, WordLinks(5, row));
                EXPECT_EQ(text.find(placeholder(0).substr(0, 3)), std::string::npos) << text;
                for (const char* const once : {"<1>", "<2>", "<b>", "</b>", "<i>", "</i>"}) {
                    ASSERT_NE(text.find(once), std::string::npos) << text;
                    EXPECT_EQ(text.find(once), text.rfind(once)) << text;
                }
            }
        }
    }
}

// What has no placeholder leaves its space.
TEST(Placeholders, WordsBehindOthersStayApart) {
    for (std::size_t most = 0; most <= 3; ++most) {
        EXPECT_EQ(held_in("see {x} now {y}{z} and", most).text, most == 0   ? "see now and"
                                                                : most == 1 ? read("see {a} now and")
                                                                : most == 2 ? read("see {a} now {b} and")
                                                                            : read("see {a} now {b}{c} and"));
    }
}

// What only looks like one, in a span or a tag, is not looked at again.
TEST(Placeholders, SpansAndTagsStayAsTheyAre) {
    MarkedText whole;
    const std::string o(object_mark);
    whole.text = "at " + o + " two";
    whole.atoms = {{{3, 6}, placeholder(1)}};
    whole.marks = {{{0, 2}, read("<a href=\"{a}\">"), "</a>"}};
    MarkedSentence sentence = marked_sentence(whole, {0, whole.text.size()});
    hold_copies(sentence, 1);
    EXPECT_EQ(done(sentence, "bei {a} {b}zwei"), read("<a href=\"{a}\">bei</a> {b} zwei"));
}

// A comment beside a span is no neighbour.
TEST(Placeholders, WhatIsNotSeenIsNoNeighbour) {
    const std::string o(object_mark);
    MarkedText whole;
    whole.text = o + o + o + " dog";
    whole.atoms = {{{0, 3}, "<!-- 1 -->"}, {{3, 6}, "a.b"}, {{6, 9}, "<!-- 2 -->"}};
    MarkedSentence sentence = marked_sentence(whole, {0, whole.text.size()});
    hold_copies(sentence, 1);
    EXPECT_EQ(texts_of(sentence.held), Texts{"a.b"});
    EXPECT_EQ(texts_of(sentence.copies), (Texts{"<!-- 1 -->", "<!-- 2 -->"}));
    EXPECT_EQ(sentence.text, read("{a} dog"));
    EXPECT_EQ(done(sentence, "hund{a}tier", {{0}, {0}, {1}}), "<!-- 1 -->hund a.b<!-- 2 --> tier");
}

TEST(Placeholders, AreSpacedAsInTheSource) {
    EXPECT_EQ(done("dog {name} sees %s tree .", "hund{a} {b}baum ."), "hund {name} %s baum .");
    EXPECT_EQ(done("at 5 and 7", "bei {a}, {b}{c}."), "bei 5, 7.");
    // What touches no letter and no other span.
    EXPECT_EQ(done("see (http://a.org/) or http://b.org/, now", "sieh ({a}oder{b}jetzt"),
              "sieh (http://a.org/ oder http://b.org/ jetzt");
    EXPECT_EQ(done("see http://a.org/ or http://b.org/.", "{a}{b}"), "http://a.org/ http://b.org/");
    EXPECT_EQ(done("{x}s and {y}{z}", "{a}s und {b}{c}"), "{x}s und {y}{z}");
    EXPECT_EQ(done("at 5 and {x}", "({a}) {b}"), "(5) {x}");
    EXPECT_EQ(done("tree 7 .", "baum .{a}"), "baum . 7");
    EXPECT_EQ(done("5 man", "\xD0\xBC\xD1\x83\xD0\xB6{a}"), "\xD0\xBC\xD1\x83\xD0\xB6 5");
    EXPECT_EQ(done("-{x}- (%s) 5%", "-{a}- ({b}) {c}%"), "-{x}- (%s) 5%");
    EXPECT_EQ(done("a 5 {x}", "{a}{b}"), "5 {x}");
    EXPECT_EQ(done("a _{x}_ b __%s__", "ein{a}und{b}mann"), "ein {x} und %s mann");
    EXPECT_EQ(done("my_{x}_file", "mein{a}_datei"), "mein{x}_datei");
    // Another span in the source excuses only that span.
    EXPECT_EQ(done("see {x}{y} now", "sieh{b}jetzt {a}"), "sieh {y} jetzt {x}");
    EXPECT_EQ(done("see {x}{y} now", "sieh {b}"), "sieh {y} {x}");
    EXPECT_EQ(done("see {x}{y} now {z}", "sieh {c}{b}{a}"), "sieh {z} {y} {x}");
    EXPECT_EQ(done("see {x}{y}{z} now", "sieh {a}{b}{c}"), "sieh {x}{y}{z}");
    // Scripts without spaces have none.
    EXPECT_EQ(done("\xE7\x9C\x8B\xE5\x88\xB0{x}\xE6\xA0\x91", "sees{a}trees"), "sees {x} trees");
    EXPECT_EQ(done("sees {x} trees", "\xE7\x9C\x8B{a}\xE6\xA0\x91"), "\xE7\x9C\x8B{x}\xE6\xA0\x91");
}

TEST(Placeholders, EachStandsOnceWhateverTheModelWrites) {
    EXPECT_EQ(done("1 x 2", "{b} und {a} und {b} !"), "2 und 1 und !");
    EXPECT_EQ(done("x 1 2", "nichts"), "nichts 1 2");
    EXPECT_EQ(done("x 1 2", "nichts {b} {b}"), "nichts 2 1");
    EXPECT_EQ(done("1, 2, %s, 3", "({b}{a}km, x{c}{e}!)"), "(2 1 km, x %s!) 3");
    EXPECT_EQ(done("x 1", ""), "1");
    EXPECT_EQ(done("x", "{c} \xE2\xA6\x83zzz\xE2\xA6\x84 ja {a}"), "ja");
    Random random(3);
    const MarkedSentence source = held_in("a {one} b {two} c {three} d");
    const Texts held = texts_of(source.held);
    ASSERT_EQ(held.size(), 3U);
    for (int trial = 0; trial < 2000; ++trial) {
        std::string written;
        for (std::uint64_t words = random.below(8); words > 0; --words) {
            written += random.below(3) == 0 ? "" : " ";
            written += random.below(2) == 0 ? "wort" : placeholder(random.below(5));
        }
        const std::string text = done(source, written);
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
