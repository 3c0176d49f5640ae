#include "document/mark_placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "document/sentences.h"
#include "text/words.h"

namespace softalign {
namespace {

// A text with marks written as tags and objects as <x/>.
MarkedText parse(const std::string& tagged) {
    MarkedText text;
    text.markup = Markup::html;
    std::vector<std::size_t> open;
    for (std::size_t at = 0; at < tagged.size();) {
        if (tagged[at] != '<') {
            text.text += tagged[at++];
            continue;
        }
        const std::size_t end = tagged.find('>', at) + 1;
        const std::string tag = tagged.substr(at, end - at);
        at = end;
        if (tag[tag.size() - 2] == '/') {
            text.atoms.push_back({{text.text.size(), text.text.size() + object_mark.size()}, tag});
            text.text += object_mark;
        } else if (tag[1] == '/') {
            text.marks[open.back()].range.end = text.text.size();
            text.marks[open.back()].close = tag;
            open.pop_back();
        } else {
            open.push_back(text.marks.size());
            text.marks.push_back({{text.text.size(), 0}, tag, ""});
        }
    }
    return text;
}

// Links along the diagonal, but for the pairs given for rows.
WordLinks links(std::size_t rows, std::size_t columns, const std::map<std::size_t, std::size_t>& given = {}) {
    WordLinks result(rows, std::vector<float>(columns, 0.0F));
    for (std::size_t row = 0; row < rows; ++row) {
        const auto found = given.find(row);
        result[row][found != given.end() ? found->second : std::min(row, columns - 1)] = 1.0F;
    }
    return result;
}

std::string placed(const std::string& tagged, const std::string& translation,
                   const std::map<std::size_t, std::size_t>& given = {}) {
    const MarkedText text = parse(tagged);
    const MarkedSentence sentence = marked_sentence(text, {0, text.text.size()});
    return with_marks(sentence, translation,
                      links(words_of(translation).size(), words_of(sentence.text).size(), given));
}

TEST(MarkedText, IsWrittenAsItWas) {
    for (const std::string text : {"a <b>dog</b> runs", "<a><b>a</b> dog</a>", "<x/><b>a<y/></b> b", "", "a"}) {
        const MarkedText parsed = parse(text);
        EXPECT_EQ(parsed.written({0, parsed.text.size()}), text);
    }
}

TEST(MarkedText, APartHasTheTagsThatBeginOrEndInIt) {
    const MarkedText text = parse("<a><b>one. 2.</b> 3 <i>4</i></a> 5 <u>6</u>");
    EXPECT_EQ(text.written({0, 4}), "<a><b>one.");
    EXPECT_EQ(text.written({5, 7}), "2.</b>");
    EXPECT_EQ(text.written({8, 11}), "3 <i>4</i></a>");
    EXPECT_EQ(text.written({12, 15}), "5 <u>6</u>");
    EXPECT_EQ(text.written({5, 9}, true), "2. 3");
}

TEST(MarkedSentence, LeavesObjectsOut) {
    const MarkedText text = parse("see <x/> now <b><y/></b>, <i>go <z/></i>");
    const MarkedSentence sentence = marked_sentence(text, {0, text.text.size()});
    EXPECT_EQ(sentence.text, "see now , go ");
    ASSERT_EQ(sentence.copies.size(), 3U);
    EXPECT_EQ(sentence.copies[1].text, "<b><y/></b>");
    EXPECT_TRUE(sentence.copies[1].spaced_before);
    EXPECT_FALSE(sentence.copies[1].spaced_behind);
    ASSERT_EQ(sentence.tags.size(), 1U);
    EXPECT_EQ(sentence.tags[0].range.of(sentence.text), "go ");
    EXPECT_EQ(sentence.copies[2].outer, 0U);
}

TEST(MarkPlacement, PutsTagsAroundWhatTheirWordsBecame) {
    EXPECT_EQ(placed("a <b>red</b> dog", "un chien rouge", {{1, 2}, {2, 1}}), "un chien <b>rouge</b>");
    EXPECT_EQ(placed("a <b><i>red</i> dog</b>", "un chien rouge", {{1, 2}, {2, 1}}), "un <b>chien <i>rouge</i></b>");
    EXPECT_EQ(placed("<b>all of it</b>", "das alles hier noch", {{3, 0}}), "<b>das alles hier noch</b>");
}

TEST(MarkPlacement, LeavesPunctuationOutside) {
    EXPECT_EQ(placed("a <b>dog</b>, (<i>cat</i>).", "ein Hund, (Katze)."), "ein <b>Hund</b>, (<i>Katze</i>).");
    EXPECT_EQ(placed("a <b>dog,</b> cat", "ein Hund, Katze"), "ein <b>Hund,</b> Katze");
}

TEST(MarkPlacement, CopiesStandWhereTheirNeighboursAre) {
    EXPECT_EQ(placed("see <x/> now", "sieh jetzt"), "sieh <x/> jetzt");
    EXPECT_EQ(placed("see this: <x/>.", "sieh das an: .", {{2, 1}, {3, 2}}), "sieh das an: <x/>.");
    EXPECT_EQ(placed("<x/> runs", "läuft"), "<x/> läuft");
    EXPECT_EQ(placed("it runs <x/>", "er läuft"), "er läuft <x/>");
    EXPECT_EQ(placed("<a><x/> dog</a> runs", "Hund läuft"), "<a><x/> Hund</a> läuft");
    EXPECT_EQ(placed("only <x/>", ""), "<x/>");
}

TEST(MarkPlacement, SpansTouchNoWordThatTheyDidNotTouch) {
    const auto with_span = [](const std::string& text, std::size_t at, bool before, bool behind) {
        MarkedSentence sentence;
        sentence.text = text;
        sentence.copies.push_back({at, MarkedSentence::nothing, at, "x@y.org", before, behind});
        return with_marks(sentence, "letoh flog", links(2, 2, {{0, 1}, {1, 0}}));
    };
    EXPECT_EQ(with_span("golf hotel ", 11, true, false), "letoh x@y.org flog");
    EXPECT_EQ(with_span("golf hotel", 10, false, false), "letoh x@y.org flog");
    EXPECT_EQ(with_span("golf hotel ()", 12, false, false), "letoh flog x@y.org");
    EXPECT_EQ(with_span(" golf hotel", 0, false, true), "x@y.org letoh flog");
    const auto behind_sign = [](const std::string& text, std::size_t at) {
        MarkedSentence sentence;
        sentence.text = text;
        sentence.copies.push_back({at, MarkedSentence::nothing, at, "12345", false, true});
        return with_marks(sentence, "letoh, flog", links(2, 3, {{1, words_of(text).size() - 1}}));
    };
    EXPECT_EQ(behind_sign("golf $ hotel", 6), "letoh, 12345 flog");
    EXPECT_EQ(behind_sign("golf, hotel", 5), "letoh,12345 flog");
    MarkedSentence in_tag;
    in_tag.text = "golf hotel ";
    in_tag.copies.push_back({11, MarkedSentence::nothing, 11, "<b>a.b</b>", true, false});
    EXPECT_EQ(with_marks(in_tag, "letoh flog", links(2, 2, {{0, 1}, {1, 0}})), "letoh <b>a.b</b> flog");
}

// A number, whatever the model attended to.
TEST(MarkPlacement, ATagKeepsItsNumber) {
    EXPECT_EQ(placed("on <b>2</b> of 3", "auf zwei 2", {{1, 0}, {2, 0}}), "auf zwei <b>2</b>");
    EXPECT_EQ(placed("on <b>2</b> of 2", "auf 2 von 2", {{1, 3}, {3, 1}}), "auf 2 von <b>2</b>") << "there are two";
}

TEST(MarkPlacement, NothingIsPutBetweenANumberAndItsSign) {
    EXPECT_EQ(placed("by <x/> -7 now", "um -7 jetzt"), "um <x/> -7 jetzt");
    EXPECT_EQ(placed("by <x/> (-7) now", "um (-7) jetzt"), "um <x/> (-7) jetzt");
    EXPECT_EQ(placed("by (<b>-7</b>) now", "um (-7) jetzt"), "um (<b>-7</b>) jetzt");
    EXPECT_EQ(placed("by <b>7</b> now", "um -7 jetzt"), "um <b>-7</b> jetzt");
}

TEST(MarkPlacement, NoSpaceIsPutBehindATagThatHasOneInFront) {
    EXPECT_EQ(placed("dog <a><x/> page</a> runs", "hund seite läuft"), "hund <a><x/> seite</a> läuft");
    EXPECT_EQ(placed("dog <a><b><x/> page</b></a> runs", "hund seite läuft"), "hund <a><b><x/> seite</b></a> läuft");
}

// Copies that nobody sees and tags are no neighbours: a span beside them is apart from words, and none is spaced twice.
TEST(MarkPlacement, WhatIsNotSeenIsNoNeighbour) {
    const auto placed_span = [](const std::string& tagged, const std::string& translation) {
        MarkedText text = parse(tagged);
        for (Atom& atom : text.atoms) {
            atom.is_space = atom.text == "<s/>";
            atom.text = atom.text == "<u/>" ? "a.b" : atom.text == "<s/>" ? "<s> </s>" : atom.text;
        }
        const MarkedSentence sentence = marked_sentence(text, {0, text.text.size()});
        return with_marks(sentence, translation,
                          links(words_of(translation).size(), words_of(sentence.text).size(), {{1, 2}, {2, 1}}));
    };
    EXPECT_EQ(placed_span("(<u/><x/>) golf hotel", "golf hotel ."), "golf hotel a.b<x/>.");
    EXPECT_EQ(placed_span("see <u/><x/>. golf", "sieh golf"), "sieh a.b<x/> golf");
    EXPECT_EQ(placed_span("see (<x/><u/>) golf", "sieh golf"), "sieh <x/>a.b golf");
    EXPECT_EQ(placed_span("see (<b><i><u/> now</i></b>) golf", "sieh jetzt golf"), "sieh <b><i>a.b jetzt</i></b> golf");
    EXPECT_EQ(placed_span("dog<s/>runs", "hund läuft"), "hund<s> </s>läuft");
    EXPECT_EQ(placed_span("dog <s/>runs", "hund läuft"), "hund <s> </s>läuft");
    EXPECT_EQ(placed_span("dog<s/> <s/> runs", "hund läuft"), "hund<s> </s> <s> </s> läuft");
    EXPECT_EQ(placed_span("see <u/><s/>golf", "sieh golf"), "sieh a.b<s> </s>golf");
    EXPECT_EQ(placed_span("see<s/><u/> golf", "sieh golf"), "sieh<s> </s>a.b golf");
    // Spans that touch each other stay together.
    EXPECT_EQ(placed_span("see (<u/><u/>) golf", "sieh golf"), "sieh a.ba.b golf");
    EXPECT_EQ(placed_span("see <u/><u/>, golf", "sieh golf"), "sieh a.ba.b golf");
    EXPECT_EQ(placed_span("see (<b><u/></b><u/>) golf", "sieh golf"), "sieh <b>a.b</b>a.b golf");
    EXPECT_EQ(placed_span("see (<u/><x/><u/>) golf", "sieh golf"), "sieh a.b<x/>a.b golf");
    EXPECT_EQ(placed_span("see <u/><u/>now golf", "sieh jetzt golf"), "sieh jetzt a.ba.bgolf");
    // A character reference is one sign.
    MarkedSentence sign;
    sign.markup = Markup::html;
    sign.text = "golf & hotel";
    sign.copies.push_back({6, MarkedSentence::nothing, 6, "12345", false, true});
    EXPECT_EQ(with_marks(sign, "letoh & flog", links(3, 3)), "letoh &amp;12345 flog");
}

TEST(MarkPlacement, PhrasesStayTogether) {
    const MarkedText text = parse("one <x/>two <b>three</b>");
    const MarkedSentence sentence = marked_sentence(text, {0, text.text.size()});
    const WordLinks diagonal = links(3, 3);
    EXPECT_EQ(with_marks(sentence, "eins zwei drei", diagonal), "eins <x/>zwei <b>drei</b>");
    EXPECT_EQ(with_marks(sentence, "eins zwei drei", diagonal, {"eins zwei", ""}), "eins zwei <x/><b>drei</b>");
    EXPECT_EQ(with_marks(sentence, "(eins zwei) drei", diagonal, {"eins zwei"}), "(eins zwei <x/>) <b>drei</b>");
    EXPECT_EQ(with_marks(sentence, "z. B. eins", links(3, 3, {{0, 0}, {1, 1}}), {"z. B."}), "z. B. <x/><b>eins</b>");
    // Where its ends are all there is, a tag has nothing else.
    const MarkedText inside = parse("one <b>two <x/></b>three");
    EXPECT_EQ(
        with_marks(marked_sentence(inside, {0, inside.text.size()}), "eins zwei drei", diagonal, {"eins zwei drei"}),
        "eins <b>zwei <x/></b>drei");
}

TEST(MarkPlacement, NestingMayBeDeep) {
    std::string open;
    std::string close;
    for (int i = 0; i < 50000; ++i) {
        open += "<b>";
        close += "</b>";
    }
    EXPECT_EQ(placed(open + "a" + close + " b", "c d"), open + "c" + close + " d");
}

TEST(MarkPlacement, TextIsEncoded) {
    EXPECT_EQ(placed("<b>a</b> b", "x&y <z>"), "<b>x&amp;y</b> &lt;z&gt;");
    EXPECT_EQ(encoded("a\xC2\xA0<b>&", Markup::html), "a&nbsp;&lt;b&gt;&amp;");
    EXPECT_EQ(encoded("<b>&", Markup::none), "<b>&");
}

TEST(MarkPlacement, TagsThatCrossTheEndsOfSentencesGoOn) {
    const MarkedText text = parse("one <b>two. three</b> four.");
    const MarkedSentence first = marked_sentence(text, {0, 8});
    const MarkedSentence second = marked_sentence(text, {9, text.text.size()});
    EXPECT_EQ(with_marks(first, "eins zwei.", links(2, 2)) + " " + with_marks(second, "drei vier.", links(2, 2)),
              "eins <b>zwei. drei</b> vier.");
    // Nothing that is in front of them comes behind.
    const MarkedText late = parse("one two <x/><b>! three. four</b> five.");
    const MarkedSentence part = marked_sentence(late, {0, late.text.find(" four")});
    EXPECT_EQ(with_marks(part, "eins drei.", {{1, 0, 0, 0}, {0, 0.4F, 0, 0.6F}}), "eins <x/><b>drei.");
}

// Random texts of words, elements in each other, and objects.
class RandomText {
public:
    explicit RandomText(Random& random) : random_(random) { add(0); }

    std::string text;
    std::vector<std::string> tags;  // opening ones and objects

private:
    void add(std::size_t depth) {
        for (std::uint64_t n = 1 + random_.below(4); n > 0; --n) {
            const std::uint64_t kind = random_.below(8);
            const std::string id = std::to_string(tags.size());
            if (kind < 2 && depth < 6) {
                tags.push_back("<b" + id + ">");
                text += tags.back();
                add(depth + 1);
                text += "</b" + id + ">";
            } else if (kind == 2) {
                tags.push_back("<x" + id + "/>");
                text += tags.back();
            } else {
                const char* const words[] = {"ab", "c,", "(d", "ef.", ".", "g-h", "\xC3\xA4"};
                text += words[random_.below(7)];
            }
            text += random_.below(3) > 0 ? " " : "";
        }
    }

    Random& random_;
};

// Whether all tags are closed in order.
bool is_well_formed(const std::string& text) {
    std::vector<std::string> open;
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
        const std::string name = text.substr(at + 1, text.find('>', at) - at - 1);
        if (name.front() == '/') {
            if (open.empty() || open.back() != name.substr(1)) {
                return false;
            }
            open.pop_back();
        } else if (name.back() != '/') {
            open.push_back(name);
        }
    }
    return open.empty();
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++found;
    }
    return found;
}

std::string without_tags(const std::string& text) {
    std::string result;
    bool in_tag = false;
    for (const char c : text) {
        in_tag = in_tag || c == '<';
        result += in_tag || c == ' ' ? "" : std::string(1, c);
        in_tag = in_tag && c != '>';
    }
    return result;
}

// Cut into sentences anywhere between words, translated into anything, with any links.
TEST(MarkPlacement, TenThousandRandomNestingsStayWellFormedAndLoseNothing) {
    Random random(7);
    for (int trial = 0; trial < 10000; ++trial) {
        const RandomText source(random);
        MarkedText text = parse(source.text);
        text.marks.erase(std::remove_if(text.marks.begin(), text.marks.end(),
                                        [&](TagPair& mark) {
                                            mark.range = trimmed(text.text, mark.range);
                                            return mark.range.size() == 0;
                                        }),
                         text.marks.end());
        std::string translated;
        std::string words;
        std::size_t begin = 0;
        const TextRange whole = trimmed(text.text, {0, text.text.size()});
        while (begin < whole.end) {
            std::size_t end = text.text.find(' ', begin + 1 + random.below(text.text.size()));
            end = std::min(end, whole.end);
            const TextRange range = trimmed(text.text, {begin, end});
            begin = end;
            if (range.size() == 0) {
                continue;
            }
            const MarkedSentence sentence = marked_sentence(text, range);
            std::string target;
            for (std::uint64_t n = random.below(7); n > 0; --n) {
                target += (target.empty() ? "" : " ") + std::string(random.below(2) == 0 ? "Wort" : "(um,");
            }
            WordLinks any(words_of(target).size(), std::vector<float>(random.below(9)));
            for (std::vector<float>& row : any) {
                for (float& link : row) {
                    link = static_cast<float>(random.below(4)) / 3.0F;
                }
            }
            translated += with_marks(sentence, target, any) + " ";
            words += target;
        }
        ASSERT_TRUE(is_well_formed(translated)) << source.text << "\n" << translated;
        ASSERT_EQ(without_tags(translated), without_tags(words)) << source.text << "\n" << translated;
        for (const std::string& tag : source.tags) {
            const bool is_object = tag[tag.size() - 2] == '/';
            const bool has_mark = std::any_of(text.marks.begin(), text.marks.end(),
                                              [&](const TagPair& mark) { return mark.open == tag; });
            if (is_object || has_mark) {
                ASSERT_EQ(count(translated, tag), 1U) << tag << "\n" << source.text << "\n" << translated;
            }
        }
    }
}

}  // namespace
}  // namespace softalign
