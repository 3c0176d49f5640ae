#include "document/kept_spans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "base/strings.h"
#include "document/kept_numbers.h"

namespace softalign {
namespace {

using Texts = std::vector<std::string>;

Texts found(const std::string& text, bool common = true, const Texts& patterns = {}) {
    Texts spans;
    for (const TextRange& range : SpanFinder(common, patterns).find(text)) {
        spans.emplace_back(range.of(text));
    }
    return spans;
}

Texts numbers(const std::string& text) {
    Texts spans;
    for (const TextRange& range : numbers_of(text)) {
        spans.emplace_back(range.of(text));
    }
    return spans;
}

TEST(Numbers, MayHaveAMillionDigits) {
    const std::string digits(1000000, '1');
    EXPECT_EQ(numbers("a " + digits + " b"), Texts{digits});
    EXPECT_EQ(numbers("a " + digits + "b"), Texts());
}

TEST(Numbers, MayBeMillionsInALine) {
    constexpr std::size_t count = 1000000;
    std::string line;
    for (std::size_t i = 0; i < count; ++i) {
        line += i % 2 == 0 ? "5 " : "1. ";
    }
    EXPECT_EQ(numbers_of(line).size(), count);
}

TEST(SpanFinder, FindsWhatIsNoLanguage) {
    EXPECT_EQ(found("See https://a.org/x?y=1&z (or www.b.com)."), (Texts{"https://a.org/x?y=1&z", "www.b.com"}));
    EXPECT_EQ(found("Http://a.org or WWW.B.ORG, HTTPS://C.org"), (Texts{"Http://a.org", "WWW.B.ORG", "HTTPS://C.org"}));
    EXPECT_EQ(found("www.a.org, AWWW.Cute"), Texts{"www.a.org"});
    const Texts times = {"2024-01-05T10:30:00Z", "2024-01-05T10:30+01:00", "2024-01-05t10:30:00.0123456789+01",
                         "20240105T103000z", "20240105T1030-0500"};
    for (const std::string& time : times) {
        EXPECT_EQ(found("at " + time + ", 2024-01-05T10:30x"), Texts{time});
    }
    EXPECT_EQ(found("(https://a.org/b_(c)), www.a.org/[d], www.a.org/e)"),
              (Texts{"https://a.org/b_(c)", "www.a.org/[d]", "www.a.org/e"}));
    // Underscores of Markdown around them are no part of either.
    EXPECT_EQ(found("_https://a.org/b_, __www.a.org/c___ _d@e.org_ __f@g.org_"),
              (Texts{"https://a.org/b", "www.a.org/c_", "d@e.org", "_f@g.org"}));
    EXPECT_EQ(found("https://a.org/b_ _c@d.org _www.a.org/e"), (Texts{"https://a.org/b_", "_c@d.org", "www.a.org/e"}));
    EXPECT_EQ(found("http://a.org/{id} (http://a.org/”) 请看http://x.org/3，男a@b.org狗%d男"),
              (Texts{"http://a.org/{id}", "http://a.org/", "http://x.org/3", "a@b.org", "%d"}));
    EXPECT_EQ(found("sftp://x.org/a, git+https://b.c/d file:///e ssh://git@f.org/g -http://h.i xhttp://j.k 5ftp://l.m"),
              (Texts{"sftp://x.org/a", "git+https://b.c/d", "file:///e", "ssh://git@f.org/g", "http://h.i",
                     "xhttp://j.k", "ftp://l.m"}));
    EXPECT_EQ(found("a@b.org-https://c.org/d"), (Texts{"a@b.org", "https://c.org/d"}));
    EXPECT_EQ(found("see...www.a.org it.www.b.org @www.c.org Gesellschaftsvertragsentwurfhttps://d.org"),
              (Texts{"www.a.org", "www.b.org", "www.c.org", "https://d.org"}));
    EXPECT_EQ(found("b@www.c.org, o'dea@e.org, \"f@g.org\", 'h@i.org'"),
              (Texts{"b@www.c.org", "o'dea@e.org", "f@g.org", "h@i.org"}));
    EXPECT_EQ(found("“https://a.org/b”—www.c.org—https://d.org/e–f https://g.org। https://h.org،"),
              (Texts{"https://a.org/b", "www.c.org", "https://d.org/e–f", "https://g.org", "https://h.org"}));
    EXPECT_EQ(found("mail jane.doe+x@mail.example.org, now"), (Texts{"jane.doe+x@mail.example.org"}));
    EXPECT_EQ(found("%s of %1$s, %05.2f, {name} {{ x }} ${y} %(z)s {}"),
              (Texts{"%s", "%1$s", "%05.2f", "{name}", "{{ x }}", "${y}", "%(z)s", "{}"}));
    EXPECT_EQ(found("%(x).2f {y!r} {0,number} {{{z}}}"), (Texts{"%(x).2f", "{y!r}", "{0,number}", "{{{z}}}"}));
    EXPECT_EQ(found("{% if x %}a{% endif %} <% b %> #{c} $(d.e) { f } {g[0]} $(h i) {j k}"),
              (Texts{"{% if x %}", "{% endif %}", "<% b %>", "#{c}", "$(d.e)", "{ f }", "{g[0]}"}));
    EXPECT_EQ(found("Has {n, plural, one {# file} other {# files}}, {g, select, male {He} other {They}}."),
              (Texts{"{n, plural, one {# file} other {# files}}", "{g, select, male {He} other {They}}"}));
    EXPECT_EQ(found("a <b>bold</b><br/> <x id=\"1\"> <a href='b'>, 3 < 4 > 2 <3 a<b <<Paul is old>>"),
              (Texts{"<b>", "</b>", "<br/>", "<x id=\"1\">", "<a href='b'>"}));
    EXPECT_EQ(found("One.\\nTwo C:\\new"), Texts{"\\n"});
    EXPECT_EQ(found("One.\\ntwo \\there \\r\\n ok"), (Texts{"\\n", "\\t", "\\r", "\\n"}));
    EXPECT_EQ(found("x\\n\\n\\ny ..\\new a\\b\\new"), (Texts{"\\n", "\\n", "\\n"}));
    EXPECT_EQ(found("%s\\nis {n}\\t\\nif as\\new C:\\%s\\new"), (Texts{"%s", "\\n", "{n}", "\\t", "\\n", "%s"}));
    EXPECT_EQ(found("100 % of them, 5%d"), Texts());
    EXPECT_EQ(found("ms-settings://home, end.https://a.org, x-http://b.org view+x.y-z://c"),
              (Texts{"ms-settings://home", "https://a.org", "http://b.org", "view+x.y-z://c"}));
    EXPECT_EQ(found("100%% of %d, %%d %%%s"), (Texts{"%%", "%d", "%%", "%%", "%s"}));
    EXPECT_EQ(found("a \U0001F600 b \U0001F44D\U0001F3FD\U0001F1E9\U0001F1EA"),
              (Texts{"\U0001F600", "\U0001F44D\U0001F3FD", "\U0001F1E9\U0001F1EA"}));
    const std::string scotland = "\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F";
    EXPECT_EQ(found(scotland + " and \u2764\uFE0E"), (Texts{scotland, "\u2764\uFE0E"}));
    EXPECT_EQ(found("a dog, a cat"), Texts());
    EXPECT_EQ(found("Part AB-12 and %s", false, {"[A-Z]{2}-\\d+"}), (Texts{"AB-12"}));
}

// Where a span is a part of another, the whole counts.
TEST(SpanFinder, FindsTagsAndTemplatesWithSpansInThem) {
    const Texts tags = {R"(<a href="https://a.org/">)",    R"(<a href="{url}" title='{{ a }}'>)",
                        R"(<a href="mailto:a@b.org">)",    R"(<img src="{{ a | b("c") }}" alt="%s"/>)",
                        R"(<a href='{% url "x" %}'>)",     R"(<a href="{% url "x" %}">)",
                        R"(<a href="/a/{id}/b">)",         R"(<a href="<%= a %>" @click="b">)",
                        R"(<a href=\"https://a.org\">)",   R"(<a href=\"{url}\">)",
                        R"(<input type="text" disabled>)", R"(<a href="{">)"};
    for (const std::string& tag : tags) {
        EXPECT_EQ(found("a " + tag + "b</a>, {c}"), (Texts{tag, "</a>", "{c}"}));
    }
    EXPECT_EQ(found("a <b and c> <a href=\"{b}\" c>"), Texts{"{b}"});
    const Texts urls = {"https://a.org/{{ b.c }}/d", "https://{{ a }}/b", "https://a.org/?b=1-{% if c %}",
                        "https://a.org/${ b }/c",    "www.a.org/{b}{c}",  "https://a.org/{{ b }}"};
    for (const std::string& url : urls) {
        EXPECT_EQ(found("see (" + url + "), {c}."), (Texts{url, "{c}"}));
    }
    EXPECT_EQ(found("{{https://a.org}} https://a.org/{{ b. {c"), (Texts{"{{https://a.org}}", "https://a.org/"}));
    const Texts forms = {"{n, plural, one {{n} dog} other {# dogs}}",
                         "{ n, plural, offset:1 =0 {no one} other {<b>{n}</b> https://a.org}}",
                         "{g, select, a {{n, plural, one {{a} dog} other {{b} dogs}}} other {c}}",
                         "{n, number, integer}",
                         "{d, date, short}",
                         "{0,number,#.##}",
                         "{t,time,::jmm}"};
    for (const std::string& form : forms) {
        EXPECT_EQ(found("has " + form + " of {m}"), (Texts{form, "{m}"}));
    }
    EXPECT_EQ(found("{red, date, blue} {n, time, and again} {d, date, yyyy-MM-dd}"), Texts{"{d, date, yyyy-MM-dd}"});
    EXPECT_EQ(found("has {n, plural, one {{a}"), Texts{"{a}"}) << "it has no end";
}

// No text is too long, or takes more stack than ICU has.
TEST(SpanFinder, ReadsLongTexts) {
    const auto times = [](int count, const std::string& part) {
        std::string text;
        for (int i = 0; i < count; ++i) {
            text += part;
        }
        return text;
    };
    EXPECT_EQ(found(times(400000, "a")), Texts());
    EXPECT_EQ(found(times(400000, "a") + "@b.org").size(), 1U);
    EXPECT_EQ(found("a@b" + times(400000, ".b") + ".1").size(), 0U);
    EXPECT_EQ(found("%" + times(400000, "0") + "x"), Texts());
    EXPECT_EQ(found("\U0001F600" + times(400000, "\uFE0F")).size(), 1U);
    EXPECT_EQ(found(times(40000, "http://a.b/ \U0001F600 %s ")).size(), 120000U);
    EXPECT_EQ(found("https://a.b/" + times(100000, "{c")).size(), 1U);
    const std::string brackets = "https://a.b/" + times(400000, "([") + times(400000, "])");
    EXPECT_EQ(found(brackets + "] ok"), Texts{brackets});
    EXPECT_EQ(found("https://" + times(100000, "{{")).size(), 0U);
    EXPECT_EQ(found("https://" + times(100000, "{{a}}")).size(), 100000U - 30);
    EXPECT_EQ(found(times(40000, "{n, plural, ")).size(), 0U);
    EXPECT_EQ(found(times(40000, "{n, plural, one {a} ")).size(), 40000U);
    EXPECT_EQ(found(times(40000, "<a b=\"{{c}} ")).size(), 40000U);
    EXPECT_EQ(found("<a " + times(40000, "b={{c}} ")).size(), 40000U);
    EXPECT_FALSE(numbers("1" + times(400000, ".1")).empty());
    EXPECT_FALSE(numbers("1" + times(400000, "-1") + "a").empty());
}

TEST(TextRanges, AddsThoseThatOverlapNone) {
    std::vector<TextRange> ranges = {{2, 4}, {6, 7}, {10, 20}};
    add_apart(ranges, {{0, 2}, {3, 5}, {5, 6}, {6, 7}, {7, 9}, {9, 11}, {12, 13}, {20, 21}});
    EXPECT_EQ(ranges, (std::vector<TextRange>{{0, 2}, {2, 4}, {5, 6}, {6, 7}, {7, 9}, {10, 20}, {20, 21}}));
    std::vector<TextRange> none;
    add_apart(none, {});
    EXPECT_TRUE(none.empty());
}

TEST(SpanFinder, FindsEachEscapeOfARowOnce) {
    for (const std::size_t count : {1U, 2U, 3U, 4U, 5U, 40U}) {
        std::string row;
        Texts escapes;
        for (std::size_t i = 0; i < count; ++i) {
            escapes.push_back(i % 2 == 0 ? "\\r" : "\\n");
            row += escapes.back();
        }
        EXPECT_EQ(found("One." + row + "Two."), escapes);
        EXPECT_EQ(found("One." + row + "two."), escapes);
        escapes.insert(escapes.begin(), "%s");
        EXPECT_EQ(found("%s" + row + "two."), escapes);
        escapes.emplace_back("{a}");
        EXPECT_EQ(found("%s" + row + "{a}"), escapes);
    }
}

TEST(SpanFinder, EscapesAreWhiteSpaceToWhatIsBesideThem) {
    EXPECT_EQ(
        found("at \\nhttps://a.org/x\\nThen.\\twww.b.org \\nc@d.org\\n2024-01-05T10:30Z"),
        (Texts{"\\n", "https://a.org/x", "\\n", "\\t", "www.b.org", "\\n", "c@d.org", "\\n", "2024-01-05T10:30Z"}));
    EXPECT_EQ(found("%s\\nwww.a.org \\%s\\nwww"), (Texts{"%s", "\\n", "www.a.org", "%s"}));
    EXPECT_EQ(found("house\\nhttps://a.org at\\nb@c.org\\nwww.d.org"),
              (Texts{"\\n", "https://a.org", "\\n", "b@c.org", "\\n", "www.d.org"}));
    EXPECT_EQ(found("東京\\nmen 。\\there"), (Texts{"\\n", "\\t"}));
    EXPECT_EQ(found("C:\\new \\\\no"), Texts());
    EXPECT_EQ(found("D:\\new@home D:\\new.txt@home D:\\tmp\\next@home"), Texts());
    EXPECT_EQ(found("Q:\\nA \\\\nThe"), (Texts{"\\n", "\\n"}));
}

TEST(SpanFinder, RefusesWhatIsNoPattern) {
    try {
        const SpanFinder finder(false, {"a(b"});
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        EXPECT_NE(std::string(error.what()).find("a(b"), std::string::npos);
    }
}

TEST(SpanFinder, NamesTheTextOfAPatternThatTakesTooLong) {
    try {
        found(std::string(40, 'a') + "!", false, {"(a+)+$"});
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::data);
        EXPECT_EQ(error.what(), "the pattern '(a+)+$' cannot be sought in the text '" + std::string(40, 'a') +
                                    "!' (U_REGEX_TIME_OUT); give one that has fewer ways to match it");
    }
}

TEST(Numbers, AreNoPartsOfWords) {
    EXPECT_EQ(numbers("5 dogs, 1,000.5 x2 3rd 10:30 2026-11-23."), (Texts{"5", "1,000.5", "10:30", "2026-11-23"}));
    EXPECT_EQ(numbers("Total\\t10\\t20.\\n3 dogs \\\\n4 x5"), (Texts{"10", "20", "3", "4"}));
    EXPECT_EQ(numbers("5\\tdogs 10:30\\tmen 7\\nTwo"), (Texts{"7"}));
    EXPECT_EQ(numbers("at\\t-5 \\n-7\\n+9"), (Texts{"-5", "-7", "+9"}));
    EXPECT_EQ(numbers("\u201C-5\u201D \"-6\" `-7` =-8 >-9 -10,-11"),
              (Texts{"-5", "-6", "-7", "-8", "-9", "-10", "11"}));
    EXPECT_EQ(numbers("16\"-20\" 5'-6' `x`-7 a=-8 |a|-9|"), (Texts{"16", "20", "5", "6", "7", "-8", "-9"}));
    EXPECT_EQ(numbers("10\u201312 or 3\u20134\u20135"), (Texts{"10\u201312", "3\u20134\u20135"}));
    EXPECT_EQ(numbers("1\u202F234\u202F567, 10\u00A0000.5 25\u2019500 1'000'000"),
              (Texts{"1\u202F234\u202F567", "10\u00A0000.5", "25\u2019500", "1'000'000"}));
    EXPECT_EQ(numbers("10\u00A00001 2019\u00A0100 5'11"), (Texts{"10", "0001", "2019", "100", "5", "11"}));
    EXPECT_EQ(numbers("10\u00A0000/12\u00A0000 500\u20131\u00A0000 3/10\u202F000 5-10'000.5 1-2-3\u00A00001"),
              (Texts{"10\u00A0000", "12\u00A0000", "500", "1\u00A0000", "3", "10\u202F000", "5", "10'000.5", "1-2-3",
                     "0001"}));
    EXPECT_EQ(numbers("030-1234\u00A0567 2010\u20132015\u00A0100 2024-01-05\u00A0100"),
              (Texts{"030-1234", "567", "2010\u20132015", "100", "2024-01-05", "100"}));
    EXPECT_EQ(numbers("3.5km 10:30am $1.5bn 2010/11s"), Texts());
    EXPECT_EQ(numbers(".5 -.5 (.7) a-.5 x.5 ...5 .5.3"), (Texts{".5", "-.5", ".7", "5", "5", "5", ".5.3"}));
    EXPECT_EQ(numbers("-5 and \u22123.5 (+49) or 3-5, x-5 a -3b"), (Texts{"-5", "\u22123.5", "+49", "3-5", "5"}));
}

TEST(WithSpans, EscapesAreWhiteSpace) {
    const std::string text = "One\\nTwo {a}\\t";
    MarkedText plain;
    plain.text = text;
    const MarkedText kept = with_spans(plain, SpanFinder(true, {}).find(text));
    const TextRange whole = trimmed(kept, {0, kept.text.size()});
    EXPECT_EQ(kept.written(whole), "One\\nTwo {a}");
    EXPECT_EQ(kept.written({whole.end, kept.text.size()}), "\\t");
    EXPECT_EQ(marked_sentence(kept, whole).text, "One Two ");
    const MarkedText blank = with_spans({" \\n \\t ", {}, {}, Markup::none}, {{1, 3}, {4, 6}});
    EXPECT_EQ(trimmed(blank, {0, blank.text.size()}).size(), 0U);
    // One space is enough.
    const MarkedText more = with_spans({"a\\n\\nb \\n c", {}, {}, Markup::none}, {{1, 3}, {3, 5}, {7, 9}});
    EXPECT_EQ(marked_sentence(more, {0, more.text.size()}).text, "a b c");
}

TEST(WithSpans, SpansBecomeAtoms) {
    MarkedText text;
    text.text = "see x1 or y2z now";
    text.marks = {{{4, 9}, "<b>", "</b>"}, {{11, 12}, "<i>", "</i>"}};
    const MarkedText kept = with_spans(text, {{4, 6}, {14, 17}});
    EXPECT_EQ(kept.text, "see " + std::string(object_mark) + " or y2z " + std::string(object_mark));
    EXPECT_EQ(kept.written({0, kept.text.size()}), "see <b>x1 or</b> y<i>2</i>z now");
}

TEST(WithSpans, TheRestMovesAlong) {
    const std::string object(object_mark);
    MarkedText text;
    text.text = object + " ab cd" + object + "ef gh";
    text.atoms = {{{0, 3}, "[1]", false}, {{9, 12}, "[2]", false}};
    text.marks = {{{4, 14}, "<b>", "</b>"}, {{15, 17}, "<i>", "</i>"}};
    EXPECT_EQ(parts_between_marks(text), (std::vector<TextRange>{{3, 4}, {4, 9}, {12, 14}, {14, 15}, {15, 17}}));
    const MarkedText kept = with_spans(text, {{4, 6}, {7, 9}, {12, 14}});
    EXPECT_EQ(kept.text, object + " " + object + " " + object + object + object + " gh");
    ASSERT_EQ(kept.atoms.size(), 5U);
    EXPECT_EQ(kept.atoms[2].text, "cd");
    EXPECT_EQ(kept.atoms[3].text, "[2]");
    EXPECT_EQ(kept.written({0, kept.text.size()}), "[1] <b>ab cd[2]ef</b> <i>gh</i>");
}

// The translation with its numbers; the links are a word of the source for each of the translation.
std::string numbered(const std::string& source, const std::string& translation, const std::vector<int>& links,
                     const GivenText& given = {}) {
    MarkedSentence sentence;
    sentence.text = source;
    WordLinks rows;
    for (const int link : links) {
        rows.emplace_back(9, 0.0F);
        if (link >= 0) {
            rows.back()[static_cast<std::size_t>(link)] = 1.0F;
        }
    }
    const LinkedTranslation result = with_numbers(sentence, translation, rows, given);
    return with_marks(result.source, result.text, result.links);
}

TEST(WithNumbers, EachIsThereAsOftenAsInTheSource) {
    EXPECT_EQ(numbered("5 dogs run", "5 hunde  laufen", {0, 1, 2}), "5 hunde  laufen");
    EXPECT_EQ(numbered("5 dogs run", "(fünf hunde) laufen", {0, 1, 2}), "(5 hunde) laufen");
    EXPECT_EQ(numbered("5 dogs run", "hunde laufen", {1, 2}), "5 hunde laufen");
    // Another number in its place is none of the source.
    EXPECT_EQ(numbered("27 dogs run", "28 hunde laufen", {0, 1, 2}), "27 hunde laufen");
    EXPECT_EQ(numbered("3.5 dogs, 28 cats", "3,5 hunde, katzen", {0, 1, 3}), "3.5 hunde, 28 katzen");
    EXPECT_EQ(numbered("27 dogs run", "a28 hunde laufen", {0, 1, 2}), "27 a28 hunde laufen");
    EXPECT_EQ(numbered("27 of 28km", "28 km", {0, 2}), "27 28 km");
    EXPECT_EQ(numbered("5 dogs run", "5 hunde 5 laufen", {0, 1, 2, 2}), "5 hunde laufen");
    EXPECT_EQ(numbered("5 of 5 dogs", "5 hunde", {2, 3}), "5 5 hunde");
    EXPECT_EQ(numbered("5 dogs", "", {}), "5");
    EXPECT_EQ(numbered("5 dogs run 5", "hunde 5 5 5.", {1, 0, 0, 3}), "hunde 5 5.");
}

TEST(WithNumbers, OneThatIsMissingStaysInItsTag) {
    MarkedSentence sentence;
    sentence.text = "on a bench 2 dogs";
    sentence.tags.push_back({{5, 17}, MarkedSentence::nothing, 5, "<i>", "</i>"});
    sentence.tags.push_back({{11, 12}, 0, 11, "<b>", "</b>"});
    const LinkedTranslation result = with_numbers(sentence, "auf bank", {{1, 0, 0, 0, 0}, {0, 0, 1, 0, 0}});
    EXPECT_EQ(with_marks(result.source, result.text, result.links), "auf <i>bank <b>2</b></i>");
}

// The places of others are those of the text, not of the sentence.
TEST(WithNumbers, OneThatIsMissingStaysInOrder) {
    MarkedSentence sentence;
    sentence.text = "man with 84 .";
    sentence.copies.push_back({9, MarkedSentence::nothing, 109, "46", true, true});
    sentence.copies.push_back({11, MarkedSentence::nothing, 114, "https://a.org", true, true});
    const LinkedTranslation result = with_numbers(sentence, "mann .", {{1, 0, 0, 0}, {0, 0, 0, 1}}, {});
    EXPECT_EQ(with_marks(result.source, result.text, result.links), "mann . 46 84 https://a.org");
}

TEST(WithNumbers, OneThatIsTranslatedOtherwiseIsNotMissed) {
    EXPECT_EQ(numbered("5 dogs run", "fünf hunde laufen", {0, 1, 2}, {"", {}, {"5"}}), "fünf hunde laufen");
    EXPECT_EQ(numbered("5 dogs run", "5 hunde fünf laufen", {0, 1, 0, 2}, {"", {"fünf"}, {"5"}}), "hunde fünf laufen");
    EXPECT_EQ(numbered("a 5 star dog ate 5", "ein hund aß viele", {0, 3, 4, 5}, {"", {}, {"5"}}), "ein hund aß 5");
}

TEST(WithNumbers, WhatWasGivenStays) {
    EXPECT_EQ(numbered("5 dogs", "hunde", {0}), "5");
    EXPECT_EQ(numbered("5 dogs", "hunde,", {0}, {"", {"hunde"}}), "5 hunde,");
    EXPECT_EQ(numbered("5 dogs", "vier hunde", {0, 0}, {"", {"vier hunde"}}), "5 vier hunde");
    EXPECT_EQ(numbered("5 dogs", "vier hunde", {0, 0}, {"", {"hunde"}}), "5 hunde");
    EXPECT_EQ(numbered("5 dogs", "fünf hunde", {0, 1}, {"fün", {}}), "fünf hunde");
    EXPECT_EQ(numbered("5 dogs", "der hunde", {-1, 1}, {"der", {}}), "5 der hunde");
    EXPECT_EQ(numbered("2 dogs", "2 hunde 2", {0, 1, 1}, {"", {"hunde 2"}}), "hunde 2");
    EXPECT_EQ(numbered("2 dogs", "2 hunde 2", {0, 1, 1}, {"2 hunde 2", {}}), "2 hunde 2");
}

TEST(WithNumbers, ThoseOfPhrasesAreNotThoseOfTheSource) {
    EXPECT_EQ(numbered("dogs cost 7", "windows 7 kosten 7", {0, 0, 1, 2}, {"", {"windows 7"}, {}, {"7"}}),
              "windows 7 kosten 7");
    EXPECT_EQ(numbered("dogs cost 7", "windows 7 kosten sieben", {0, 0, 1, 2}, {"", {"windows 7"}, {}, {"7"}}),
              "windows 7 kosten 7");
    EXPECT_EQ(numbered("dogs cost 7", "windows 7 kosten 7 7", {0, 0, 1, 2, 1}, {"", {"windows 7"}, {}, {"7"}}),
              "windows 7 kosten 7");
}

TEST(WithNumbers, NumbersInWordsAreThereToo) {
    EXPECT_EQ(numbered("May 5 is near", "the 5th of May", {1, 1, 2, 0}), "the 5th of May");
    EXPECT_EQ(numbered("5 km", "5km", {0}), "5km");
    EXPECT_EQ(numbered("5 km", "5km 5", {0, 0}), "5km");
    EXPECT_EQ(numbered("5 dogs", "개 5마리", {1, 0}), "개 5마리");
}

// A number of the source and one in a word of it are not each other's.
TEST(WithNumbers, NumbersInWordsOfTheSourceStayApart) {
    EXPECT_EQ(numbered("number 3 in a 3D movie", "nummer 3 im 3D-Plakat", {0, 1, 3, 4}), "nummer 3 im 3D-Plakat");
    EXPECT_EQ(numbered("the 5th of 5", "der 5. von 5", {0, 1, 2, 3}), "der 5. von 5");
    EXPECT_EQ(numbered("5km and 5 dogs", "5km und fünf hunde", {0, 1, 2, 3}), "5km und 5 hunde");
    EXPECT_EQ(numbered("5km and 5 dogs", "5 km und 5 hunde 5", {0, 0, 1, 2, 3, 3}), "5 km und 5 hunde");
    EXPECT_EQ(numbered("5km and 5 dogs", "weite und 5 hunde", {0, 1, 2, 3}), "weite und 5 hunde");
}

TEST(WithNumbers, SignsAreOfTheNumber) {
    EXPECT_EQ(numbered("-5 dogs", "-5 hunde -5", {0, 1, 1}), "-5 hunde");
    EXPECT_EQ(numbered("5 dogs", "-3 hunde", {0, 1}), "5 hunde");
    EXPECT_EQ(numbered("-5 dogs", "5 hunde", {0, 1}), "-5 hunde");
    EXPECT_EQ(numbered("-5 dogs", "minus 5 hunde", {0, 0, 1}), "minus -5 hunde");
}

TEST(WithNumbers, WhatIsWrittenInAnotherFormIsNotMissing) {
    EXPECT_EQ(numbered("it fell .5 percent", "es fiel um 0,5 prozent", {0, 1, 2, 2, 3}), "es fiel um 0,5 prozent");
    EXPECT_EQ(numbered("1 million men", "1.000.000 männer", {0, 2}), "1.000.000 männer");
    EXPECT_EQ(numbered("1.5 million men", "1.500.000 männer", {0, 2}), "1.500.000 männer");
    EXPECT_EQ(numbered("on 2 Jan. 2024", "am 02.01.2024", {0, 1}), "am 02.01.2024");
    EXPECT_EQ(numbered("on 2024-01-05", "am 5/1/2024", {0, 1}), "am 2024-01-05");
    EXPECT_EQ(numbered("on 2024-1-5", "am 05/01/2024", {0, 1}), "am 05/01/2024");
    EXPECT_EQ(numbered("um 8 Uhr 30 kam er", "at 8:30 he came", {0, 1, 5, 4}), "at 8:30 he came");
    EXPECT_EQ(numbered("8 dogs at 8:30", "8 hunde um 8 uhr 30", {0, 1, 2, 3, 3, 3}), "8 hunde um 8 uhr 30");
    EXPECT_EQ(numbered("10 to 15 men", "10-15 männer", {0, 3}), "10-15 männer");
    EXPECT_EQ(numbered("10-15 men", "10 bis 15 männer", {0, 0, 0, 1}), "10 bis 15 männer");
    EXPECT_EQ(numbered("5-10 dogs, 5 cats", "5 bis 10 hunde, 5 katzen", {0, 0, 0, 1, 2, 3}),
              "5 bis 10 hunde, 5 katzen");
    EXPECT_EQ(numbered("١٠-١٥ dogs", "10 bis 15 hunde", {0, 0, 0, 1}), "10 bis 15 hunde");
    EXPECT_EQ(numbered("minus 5 degrees", "-5 grad", {1, 2}), "-5 grad");
    EXPECT_EQ(numbered("5 thousand people", "5000 menschen", {0, 2}), "5000 menschen");
    EXPECT_EQ(numbered("3.5 million men", "3500000 männer", {0, 2}), "3500000 männer");
    EXPECT_EQ(numbered("0,5 Prozent", ".5 percent", {0, 1}), ".5 percent");
    EXPECT_EQ(numbered("on 31 December he came", "am 31.12. kam er", {0, 1, 4, 3}), "am 31.12. kam er");
    EXPECT_EQ(numbered("2 or 2 dogs", "2-2 hunde", {0, 3}), "2-2 hunde");
    // Each part stands for one number.
    EXPECT_EQ(numbered("2 or 2 dogs", "2-3 hunde", {1, 3}), "2 2-3 hunde");
    EXPECT_EQ(numbered("5 of 7.5 dogs", "7.5 hunde", {2, 3}), "5 7.5 hunde");
}

TEST(WithNumbers, TimesOfTheOtherClockAreNotMissing) {
    EXPECT_EQ(numbered("he left at 3 pm .", "er ging um 15 Uhr .", {0, 1, 2, 3, 4, 5}), "er ging um 15 Uhr .");
    EXPECT_EQ(numbered("at 3 p.m., he left", "um 15:00 ging er", {0, 1, 4, 3}), "um 15:00 ging er");
    EXPECT_EQ(numbered("at 12 AM", "um 0 Uhr", {0, 1, 2}), "um 0 Uhr");
    EXPECT_EQ(numbered("a las 5 p. m. salió", "um 17 Uhr ging er", {0, 2, 3, 5, 5}), "um 17 Uhr ging er");
    EXPECT_EQ(numbered("a las 5 a. m. salió", "um 17 Uhr ging er", {0, 2, 3, 5, 5}), "um 5 Uhr ging er");
    EXPECT_EQ(numbered("um 17 Uhr", "a las 5\u00A0p.\u00A0m.", {0, 0, 1, 2, 2}), "a las 5\u00A0p.\u00A0m.");
    EXPECT_EQ(numbered("um 15 Uhr", "at 3 pm", {0, 1, 2}), "at 3 pm");
    EXPECT_EQ(numbered("um 15.30 Uhr", "at 3:30pm.", {0, 1}), "at 3:30pm.");
    EXPECT_EQ(numbered("um 15 Uhr", "at 3pm", {0, 1}), "at 3pm");
    EXPECT_EQ(numbered("15-17 Uhr", "3-5 p.m.", {0, 1}), "3-5 p.m.");
    EXPECT_EQ(numbered("a 3:30-5:30 pm shift", "schicht 15:30-17:30", {1, 1}), "schicht 15:30-17:30");
    EXPECT_EQ(numbered("Schicht 15.30-17", "shift 3:30-5:00 pm", {0, 1, 1}), "shift 3:30-5:00 pm");
    EXPECT_EQ(numbered("11-1 pm", "11-13 Uhr", {0, 1}), "11-13 Uhr");
    EXPECT_EQ(numbered("at 12 am", "um 24 Uhr", {0, 1, 2}), "um 24 Uhr");
    EXPECT_EQ(numbered("3 Hunde um 15 Uhr", "3 dogs at 3 pm", {0, 1, 2, 3, 4}), "3 dogs at 3 pm");
    EXPECT_EQ(numbered("15 people at 3 pm", "15 personen um 15 uhr", {0, 1, 2, 3, 3}), "15 personen um 15 uhr");
    EXPECT_EQ(numbered("from 3 to 5 pm .", "von 15 bis 17 uhr .", {0, 1, 2, 3, 4, 5}), "von 15 bis 17 uhr .");
    EXPECT_EQ(numbered("von 15 bis 17 uhr", "from 3 to 5 pm", {0, 1, 2, 3, 4}), "from 3 to 5 pm");
    EXPECT_EQ(numbered("between 3 and 4:30 pm", "zwischen 15 und 16:30 Uhr", {0, 1, 2, 3, 4}),
              "zwischen 15 und 16:30 Uhr");
    EXPECT_EQ(numbered("open 3-5 pm", "geöffnet 15 bis 17 uhr", {0, 1, 1, 1, 2}), "geöffnet 15 bis 17 uhr");
    EXPECT_EQ(numbered("15-17 uhr", "3 to 5 pm", {0, 0, 0, 1}), "3 to 5 pm");
    EXPECT_EQ(numbered("3 to 5 pm", "15-17 Uhr", {0, 3}), "15-17 Uhr");
    EXPECT_EQ(numbered("11 bis 13 Uhr", "11-1 pm", {0, 3}), "11-1 pm");
    EXPECT_EQ(numbered("3-5 pm", "3pm to 5pm", {0, 0, 0}), "3pm to 5pm");
    EXPECT_EQ(numbered("at 3:30:15 pm", "um 15:30:15 uhr", {0, 1, 2}), "um 15:30:15 uhr");
    EXPECT_EQ(numbered("from 3 to 5pm .", "von 15 bis 17 uhr .", {0, 1, 2, 3, 4}), "von 15 bis 17 uhr .");
    EXPECT_EQ(numbered("at 3 pm on the 15th", "um 15 uhr am fünfzehnten", {0, 1, 2, 5}), "um 15 uhr am fünfzehnten");
    EXPECT_EQ(numbered("pages 10-15 , 10km run", "seiten 10 bis 15 , zehn kilometer lauf", {0, 1, 1, 1, 2, 3, 3, 4}),
              "seiten 10 bis 15 , zehn kilometer lauf");
    // One that stands for another number.
    EXPECT_EQ(numbered("15 people at 3 pm", "15 personen um drei", {0, 1, 2, 3}), "15 personen um 3");
    EXPECT_EQ(numbered("15 people at 3 pm", "leute um 15 uhr", {1, 2, 3, 4}), "leute um 3 15 uhr");
    EXPECT_EQ(numbered("29 men at 5 pm", "29 männer um fünf", {0, 1, 2, 3}), "29 männer um 5");
    EXPECT_EQ(numbered("at 3 pm he runs 15km", "nachmittags läuft er 15km", {1, 4, 3, 5}), "3 läuft er 15km");
    EXPECT_EQ(numbered("at 3 pm a 15-year-old runs", "nachmittags rennt ein 15-jähriger", {2, 5, 3, 4}),
              "nachmittags rennt ein 15-jähriger 3");
    EXPECT_EQ(numbered("pages 5-7 for a 5-year-old and a 7-year-old", "seiten für ein 5 jahre und ein 7 jahre",
                       {0, 2, 3, 4, 4, 5, 6, 7, 7}),
              "seiten 5-7 für ein 5 jahre und ein 7 jahre");
    // Another time, and no time.
    EXPECT_EQ(numbered("at 3:30 pm", "um 15:18", {0, 1, 2}), "um 3:30");
    EXPECT_EQ(numbered("at 10:30 am", "um 10:06", {0, 1, 2}), "um 10:30");
    EXPECT_EQ(numbered("at 5 am", "um 17 Uhr", {0, 1, 2}), "um 5 Uhr");
    EXPECT_EQ(numbered("um 19 Uhr", "at 7 am", {0, 1, 2}), "at 19 am");
    EXPECT_EQ(numbered("Gleis 3 am Bahnhof", "platform 15 at station", {0, 1, 2, 3}), "platform 3 at station");
    EXPECT_EQ(numbered("at 3 pm", "um 16 Uhr", {0, 1, 2}), "um 3 Uhr");
    EXPECT_EQ(numbered("15 dogs", "3 hunde", {0, 1}), "15 hunde");
    EXPECT_EQ(numbered("12 dogs", "pm hunde", {0, 1}), "12 hunde");
    EXPECT_EQ(numbered("5 dogs", "es ist \u22125m kalt", {0, 0, 1, 1}), "5 ist \u22125m kalt");
    EXPECT_EQ(numbered("3-5 pm", "15-5 Uhr", {0, 1}), "3-5 Uhr");
    EXPECT_EQ(numbered("3-5 pm", "3-17 Uhr", {0, 1}), "3-5 Uhr");
    EXPECT_EQ(numbered("at 3 pm", "um 39 uhr", {0, 1, 2}), "um 3 uhr");
    EXPECT_EQ(numbered("at 3:30:15 pm", "um 15:45:15 uhr", {0, 1, 2}), "um 3:30:15 uhr");
    EXPECT_EQ(numbered("at 3:00 pm", "um 3 am", {0, 1, 2}), "um 3:00 3 am");
    EXPECT_EQ(numbered("at 1 pm today", "um 13,5 heute", {0, 1, 3}), "um 1 13,5 heute");
    EXPECT_EQ(numbered("die 20 am Ende", "9 at the end", {1, 2, 2, 3}), "20 at the end");
}

// A translation that lost some numbers of the source and has no others: all are back, each as often.
TEST(WithNumbers, NoneStandsForAnother) {
    const Texts words = {"3", "5", "12", "15", "17", "24", "29", "dogs", "men", "at", "to", "15km", "3-jährig"};
    constexpr std::size_t first_word = 7;
    Random random(4);
    for (int trial = 0; trial < 2000; ++trial) {
        Texts source;
        Texts translation;
        std::vector<int> links;
        while (source.size() < 8) {
            const std::size_t word = random.below(words.size());
            if (word >= first_word || random.uniform() < 0.6) {
                translation.push_back(words[word]);
                links.push_back(static_cast<int>(source.size()));
            }
            source.push_back(words[word]);
            if (word < first_word && random.uniform() < 0.4) {
                translation.emplace_back("uhr");
                links.push_back(static_cast<int>(source.size()));
                source.emplace_back(random.uniform() < 0.5 ? "am" : "pm");
            }
        }
        const std::string text = join(source, " ");
        const std::string result = numbered(text, join(translation, " "), links);
        const auto sorted = [](const std::string& of) {
            Texts all = numbers(of);
            std::sort(all.begin(), all.end());
            return all;
        };
        ASSERT_EQ(sorted(result), sorted(text)) << text << "\n" << join(translation, " ") << "\n" << result;
    }
}

TEST(WithNumbers, AnotherNumberWithTheSameDigitsIsNoForm) {
    EXPECT_EQ(numbered("3 men ran 3.5 km", "drei männer liefen 3,5 km", {0, 1, 2, 3, 4}), "3 männer liefen 3.5 km");
    EXPECT_EQ(numbered("1 of 1000 dogs", "einer von 1.000 hunden", {0, 1, 2, 3}), "1 von 1000 hunden");
    EXPECT_EQ(numbered("30 men left at 8:30", "dreißig männer um 8.30", {0, 1, 3, 4}), "30 männer um 8:30");
    EXPECT_EQ(numbered("2 men hear U2", "zwei männer hören U2", {0, 1, 2, 3}), "2 männer hören U2");
    EXPECT_EQ(numbered("5 dogs ran 5.5km", "fünf hunde liefen 5,5km", {0, 1, 2, 3}), "5 hunde liefen 5,5km");
    EXPECT_EQ(numbered(".5 percent", "5 prozent", {0, 1}), ".5 prozent");
    EXPECT_EQ(numbered(".05 percent", "0,5 prozent", {0, 1}), ".05 prozent");
    EXPECT_EQ(numbered("agent 007 runs", "agent 7 rennt", {0, 1, 2}), "agent 007 rennt");
    EXPECT_EQ(numbered("10 dogs", "1.000 hunde", {0, 1}), "10 1.000 hunde");
    EXPECT_EQ(numbered("5 dogs", "1,5 hunde", {0, 1}), "5 1,5 hunde");
    EXPECT_EQ(numbered("1,000 dogs", "1000 hunde", {0, 1}), "1,000 hunde");
    EXPECT_EQ(numbered("5 dogs, 5-5", "5 hunde, 5", {0, 1, 2}), "5 hunde, 5-5");
}

// What comes from another word of the source is no form of the number.
TEST(WithNumbers, AFormIsNoneThatHasLessToDoWithIt) {
    EXPECT_EQ(numbered("30 men left at half past eight", "dreißig männer gingen um 8:30", {0, 1, 2, 3, 6}),
              "30 männer gingen um 8:30");
    EXPECT_EQ(numbered("at 8:30 came 30 dogs", "um 08:30 kamen dreißig hunde", {0, 1, 2, 3, 4}),
              "um 08:30 kamen 30 hunde");
    EXPECT_EQ(numbered("2 men stole two thousand dollars", "zwei männer stahlen 2.000 dollar", {0, 1, 2, 3, 5}),
              "2 männer stahlen 2.000 dollar");
}

TEST(WithNumbers, DigitsOfOtherScriptsAreDigits) {
    EXPECT_EQ(numbered("5 dogs run", "\u0665 a b", {0, 1, 2}), "5 a b");
    EXPECT_EQ(numbered("at 8:30 today", "a \u0668:\u0663\u0660 b", {0, 1, 2}), "a 8:30 b");
    EXPECT_EQ(numbered("the 12 dogs", "\u0967\u0968 a", {1, 2}), "12 a");
    EXPECT_EQ(numbered("\u0665 a b", "5 dogs run", {0, 1, 2}), "\u0665 dogs run");
}

TEST(WithNumbers, AnotherNumberHasAsManyParts) {
    EXPECT_EQ(numbered("at 8:30", "um 9:45", {0, 1}), "um 8:30");
    EXPECT_EQ(numbered("1,000,000 dogs", "1000000 hunde", {0, 1}), "1,000,000 hunde");
    EXPECT_EQ(numbered("27 dogs", "8:30 hunde", {0, 1}), "27 8:30 hunde");
}

TEST(WithNumbers, WhatAHyphenJoinsToAWordIsTranslatedWithIt) {
    EXPECT_EQ(numbered("a 5-year-old boy", "ein fünfjähriger junge", {0, 1, 2}), "ein fünfjähriger junge");
    EXPECT_EQ(numbered("the A-5 road", "die bundesstraße", {0, 1}), "die bundesstraße");
    EXPECT_EQ(numbered("5%-discount now", "rabatt jetzt", {0, 1}), "rabatt jetzt");
    EXPECT_EQ(numbered("5 dogs in a 5-star hotel", "5 hunde im 5-sterne-hotel", {0, 1, 2, 4}),
              "5 hunde im 5-sterne-hotel");
}

TEST(WithNumbers, WhatSurroundsOneThatIsRemovedStaysWhole) {
    EXPECT_EQ(numbered("5 dogs", "5 hunde (5)", {0, 1, 1}), "5 hunde");
    EXPECT_EQ(numbered("5 dogs", "5 hunde (5).", {0, 1, 1}), "5 hunde.");
    EXPECT_EQ(numbered("5 dogs", "5 (nun 5) hunde", {0, 1, 1, 1}), "5 (nun) hunde");
    EXPECT_EQ(numbered("5 dogs", "5 („5 hunde“)", {0, 1, 1}), "5 („hunde“)");
    EXPECT_EQ(numbered("5% of dogs", "5% 5%, hunde", {0, 1, 2}), "5%, hunde");
    EXPECT_EQ(numbered("5 dogs", "5 hunde. 5.", {0, 1, 1}), "5 hunde.");
    EXPECT_EQ(numbered("5 dogs", "5 hunde, 5.", {0, 1, 1}), "5 hunde.");
    EXPECT_EQ(numbered("5 dogs", "5 hunde! 5.", {0, 1, 1}), "5 hunde!");
    EXPECT_EQ(numbered("5 dogs", "5 &quot; 5.", {0, 1, 1}), "5 &quot;.");
    EXPECT_EQ(numbered("5 dogs", "5 hunde. 5, ja", {0, 1, 1, 1}), "5 hunde., ja");
}

TEST(WithNumbers, TextWithoutSpacesStaysAsItIs) {
    EXPECT_EQ(numbered("she saw 5 books", "她看见5本书。", {2}), "她看见5本书。");
    EXPECT_EQ(numbered("she saw 68 books", "她看见五本书。", {2}), "她看见五本书。");
    EXPECT_EQ(numbered("她看见5本书。", "she saw five books", {0, 0, 0, 0}), "she saw five books");
}

TEST(LowerCased, IsThatOfUnicode) {
    EXPECT_EQ(lower_cased("Two ÄPFEL, ΣΑΣ 東京 7"), "two äpfel, σας 東京 7");
    EXPECT_EQ(lower_cased(""), "");
}

}  // namespace
}  // namespace softalign
