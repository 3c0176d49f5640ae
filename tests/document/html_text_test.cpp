#include "document/html_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "base/strings.h"

namespace softalign {
namespace {

class HtmlTextTest : public testing::Test {
protected:
    void SetUp() override {
        if (!reads_html()) {
            GTEST_SKIP() << "built without libgumbo";
        }
    }

    // The texts, with [ ] for marks and * for atoms.
    static std::vector<std::string> texts(const std::string& html) {
        std::vector<std::string> found;
        for (HtmlText& part : html_texts(html)) {
            part.text.markup = Markup::none;
            for (TagPair& mark : part.text.marks) {
                mark.open = "[";
                mark.close = "]";
            }
            for (Atom& atom : part.text.atoms) {
                atom.text = "*";
            }
            found.push_back(part.text.written({0, part.text.text.size()}));
        }
        return found;
    }

    // The document with every text written as it was read.
    static std::string again(const std::string& html) {
        std::string result;
        std::size_t done = 0;
        for (const HtmlText& part : html_texts(html)) {
            EXPECT_GE(part.range.begin, done);
            result += html.substr(done, part.range.begin - done);
            result += part.text.written({0, part.text.text.size()});
            done = part.range.end;
        }
        return result + html.substr(done);
    }
};

using Texts = std::vector<std::string>;

TEST_F(HtmlTextTest, FindsTheTextsOfADocument) {
    const std::string html =
        "<!DOCTYPE html>\n<html><head><title>A title</title><style>p { x: y }</style></head>\n"
        "<body class=x><h1>Head <b>line</b></h1>\n<p>One &amp; two.\n  <!-- c --> Three<br>Four</p>"
        "<script>var a = '<b>';</script><pre>code\n  here</pre><ul><li>Item<li>Other</ul></body></html>\n";
    EXPECT_EQ(texts(html), (Texts{"A title", "Head [line]", "One & two.\n  * Three", "Four", "Item", "Other"}));
    EXPECT_EQ(again(html), html);
}

TEST_F(HtmlTextTest, LeavesAloneWhatItsAuthorsKeep) {
    EXPECT_EQ(texts("<p>Use <code>a &lt; b</code> or <span translate=\"no\">this</span>.</p>"), (Texts{"Use * or *."}));
    EXPECT_EQ(texts("<div translate=no><p>not this</p></div><p class='x notranslate'>nor this</p><p>this</p>"),
              (Texts{"this"}));
    EXPECT_EQ(texts("<textarea>a</textarea>b<svg><title>c</title></svg>"), (Texts{"b*"}));
}

TEST_F(HtmlTextTest, TagsWithoutTextAreCopiedWhole) {
    const auto found = html_texts("<p>A <i class=\"icon\"></i> dog<b> </b>runs <a href=x><img src=y></a></p>");
    ASSERT_EQ(found.size(), 1U);
    ASSERT_EQ(found[0].text.atoms.size(), 3U);
    EXPECT_EQ(found[0].text.atoms[0].text, "<i class=\"icon\"></i>");
    EXPECT_EQ(found[0].text.atoms[1].text, "<b> </b>");
    EXPECT_EQ(found[0].text.marks.size(), 1U);
}

TEST_F(HtmlTextTest, MarksOfNotesAreCopiedWhole) {
    EXPECT_EQ(texts("<p>It is.<sup><a href=\"#1\">[1]</a></sup> So<sup class=n>12</sup> 1<sup>st</sup></p>"),
              Texts{"It is.* So* 1[st]"});
    EXPECT_EQ(again("<p>It is.<sup><a href=\"#1\">[1]</a></sup> So</p>"),
              "<p>It is.<sup><a href=\"#1\">[1]</a></sup> So</p>");
}

TEST_F(HtmlTextTest, TagsThatDoNotNestStayWhereTheyAre) {
    EXPECT_EQ(texts("<p>a <b>b <i>c</b> d</i> e</p>"), (Texts{"a", "b", "c", "d", "e"}));
    for (const std::string html :
         {"<p>a <b>b <i>c</b> d</i> e</p>", "a <b>b", "a</b> b", "<b>a<p>b</b>c", "<a><div>x</div></a>", "<p>a <tr> b",
          "<table>lost<tr><td>c</table>", "a < b > c & d", "<b", "<!--", "<p title='>'>a</p >b", "<i><b></i></b>x",
          "&lt;b&gt; &amp;amp; &nbsp;x&nbsp;", "<a href='>'>x</a> y", "</a href='>'>x"}) {
        for (const HtmlText& part : html_texts(html)) {
            EXPECT_LE(part.range.end, html.size()) << html;
        }
    }
    EXPECT_EQ(again("<b>a<p>b</b>c"), "<b>a<p>b</b>c");
    EXPECT_EQ(again("<p>a <b>b <i>c</b> d</i> e</p>"), "<p>a <b>b <i>c</b> d</i> e</p>");
}

TEST_F(HtmlTextTest, WhatIsNotClosedStaysAtTheEnd) {
    for (const std::string end : {"<!-- b", "<!-- b>", "<!b", "<?b", "</ b"}) {
        EXPECT_EQ(texts("<p>a " + end), (Texts{"a"})) << end;
        EXPECT_EQ(again("<p>a " + end), "<p>a " + end);
    }
    EXPECT_EQ(texts("<p>a <!-- b --> c"), (Texts{"a * c"}));
}

TEST_F(HtmlTextTest, ReferencesToNoCharacterBecomeReplacementCharacters) {
    for (const std::string reference : {"&#6666666616;", "&#xD800;", "&#x110000;", "&#99999999999999999999;"}) {
        const std::vector<HtmlText> found = html_texts("<p>a " + reference + " b</p>");
        ASSERT_EQ(found.size(), 1U);
        EXPECT_EQ(first_invalid_utf8(found[0].text.text), 0U) << reference;
    }
    EXPECT_EQ(texts("a &#xD800; b"), (Texts{"a \xEF\xBF\xBD b"}));
}

TEST_F(HtmlTextTest, CharactersThatHtmlLacksHideNoText) {
    for (const std::string character : {"\xC2\x92", "\x0B", "\x01", "\x7F", "\xEF\xB7\x90"}) {
        EXPECT_EQ(texts("<p>a" + character + "b <b>c</b></p>").size(), 1U);
        EXPECT_EQ(texts("<p>a</p" + character + "> <i>b " + character + "</i>").size(), 2U);
    }
}

TEST_F(HtmlTextTest, LineEndsOfWindowsEndNoSentence) {
    EXPECT_EQ(texts("<p>\r\na <b>b</b>\r\nc <!-- d -->\r\n<i>\r\ne</i></p>"), (Texts{"a [b]\nc *\n\n[e]"}));
}

TEST_F(HtmlTextTest, TagsThatTheParserIgnoresAreNoText) {
    EXPECT_EQ(texts("<p>a <body class = \"b>c\"> d</p>"), (Texts{"a", "d"}));
    EXPECT_EQ(texts("<select><option>a <b title= 'x > y'> b</select>"), (Texts{"a", "b"}));
}

// Whatever it is, what is no text stays, and text stays the same text.
TEST_F(HtmlTextTest, RubbishIsReadWithoutHarm) {
    Random random(11);
    const std::vector<std::string> parts = {"<b>",      "</b>",      "<i x='>'>", "</i>",    "<p>", "</p>",
                                            "text ",    "<br>",      " ",         "<!--",    "-->", "<td>",
                                            "&amp;",    "\xC3\xA4",  "<code>",    "</code>", "<a",  ">",
                                            "<script>", "</script>", "<table>",   "<",       "</",  "\r\n"};
    for (int trial = 0; trial < 3000; ++trial) {
        std::string html;
        for (std::uint64_t n = random.below(20); n > 0; --n) {
            html += parts[random.below(parts.size())];
        }
        const std::string once = again(html);
        EXPECT_EQ(again(once), once) << html;
    }
}

std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) {
        all += text;
    }
    return all;
}

TEST_F(HtmlTextTest, NestingMayBeDeep) {
    EXPECT_EQ(texts(repeated("<div>", 5000) + "x"), (Texts{"x"}));
    EXPECT_EQ(texts(repeated("<b>", 5000) + "x" + repeated("</b>", 5000)).size(), 1U);
}

// What would take a parser minutes is refused.
TEST_F(HtmlTextTest, NestingHasALimit) {
    for (const std::string tag : {"div", "b", "span", "SPAN", "table", "x-y"}) {
        EXPECT_THROW(html_texts(repeated("<" + tag + ">", 5001) + "x"), Error) << tag;
    }
    EXPECT_THROW(html_texts("<svg>" + repeated("<g>", 5000)), Error);
}

TEST_F(HtmlTextTest, ATagHasALimitOfAttributes) {
    const auto tag = [](int attributes, const std::string& value) {
        std::string html = "<p><b";
        for (int i = 0; i < attributes; ++i) {
            html += " a" + std::to_string(i) + value;
        }
        return html + ">x</b></p>";
    };
    for (const std::string value : {"", "=1", "='1 2 3'", "=\"/ 2\""}) {
        EXPECT_EQ(texts(tag(2000, value)), Texts{"[x]"}) << value;
        EXPECT_THROW(html_texts(tag(2001, value)), Error) << value;
    }
    std::string dense = "<b ";
    for (int i = 0; i < 2001; ++i) {
        dense += "a" + std::to_string(i) + "='1'";
    }
    EXPECT_THROW(html_texts(dense + ">x</b>"), Error);
    EXPECT_EQ(texts("<b title='" + repeated("a ", 5000) + "'>x</b>"), Texts{"[x]"});
}

TEST_F(HtmlTextTest, WhatNeedsNoClosingTagIsNotNested) {
    constexpr int many = 6000;
    for (const std::string part :
         {"<p>a", "<br>a", "<a name=x>a", "<div>a</div>", "<DIV>a</div>", "<script>'<div>'</script>a", "<!--<div>-->a",
          "<img alt='<div>'>a", "<table><tr><td><font>a</table>", "<i title=\"</i>\">a</i>"}) {
        EXPECT_EQ(html_texts(repeated(part, many)).empty(), false) << part;
    }
    EXPECT_EQ(html_texts("<table>" + repeated("<tr><td><font>a", many)).size(), static_cast<std::size_t>(many));
    EXPECT_EQ(html_texts("<ul>" + repeated("<li><font>a", many) + "</ul>").empty(), false);
    EXPECT_EQ(html_texts("<svg>" + repeated("<path d='M0 0'/>", many) + "</svg>a").size(), 1U);
}

// Each of the elements would be copied into each paragraph behind it.
TEST_F(HtmlTextTest, FormattingThatIsNotClosedHasALimit) {
    std::string html;
    for (int i = 0; i < 2000; ++i) {
        html += "<p><b id=" + std::to_string(i) + ">x";
    }
    EXPECT_THROW(html_texts(html), Error);
    EXPECT_EQ(html_texts(html.substr(0, 500)).empty(), false);
}

}  // namespace
}  // namespace softalign
