#include "html/text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace softalign {
namespace {

using namespace std::string_literals;

TEST(HtmlText, MarkupAndQuotesAreEscaped) {
    EXPECT_EQ(html_text("<script>alert('a' & \"b\")</script>"),
              "&lt;script&gt;alert(&#39;a&#39; &amp; &quot;b&quot;)&lt;/script&gt;");
    EXPECT_EQ(html_text("&lt;"), "&amp;lt;");
}

TEST(HtmlText, OtherWritingsStayAsTheyAre) {
    for (const char* text :
         {"Zwei Männer", "二人の男", "رجلان", "שני", "👩‍👩‍👧", "e\u0301", "می\u200Cخواهم"}) {
        EXPECT_EQ(html_text(text), text);
    }
    EXPECT_EQ(html_text("a\tb\nc"), "a\tb\nc");
}

TEST(HtmlText, ControlsThatBendTheDirectionAreShown) {
    EXPECT_EQ(html_text("a\u202Eb\u2066c\u2069"), "a[U+202E]b[U+2066]c[U+2069]");
}

TEST(HtmlText, ControlCharactersAndBrokenBytesAreShown) {
    EXPECT_EQ(html_text("a\0b\x1B[0m\x7F"s), "a\u2400b\u241B[0m\u2421");
    EXPECT_EQ(html_text("\u0085"), "[U+0085]");
    EXPECT_EQ(html_text("a\xFF\xC3<"), "a\uFFFD\uFFFD&lt;");
    EXPECT_EQ(html_text("\xC0\xBCscript"), "\uFFFD\uFFFDscript");  // an overlong <
}

TEST(ScriptJson, CannotEndTheElementAndSaysTheSame) {
    const nlohmann::json value = {{"</script><script>alert(1)", "<!-- & -->"}};
    const std::string text = script_json(value.dump());
    EXPECT_EQ(text.find_first_of("<>&"), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(text), value);
}

TEST(DisplayWidth, WideCharactersTakeTwoAndMarksNone) {
    EXPECT_EQ(display_width("abc"), 3U);
    EXPECT_EQ(display_width("二人"), 4U);
    EXPECT_EQ(display_width("e\u0301"), 1U);
    EXPECT_EQ(display_width("한국"), 4U);
    EXPECT_EQ(display_width("\xFF"), 1U);
    EXPECT_EQ(display_width(""), 0U);
}

TEST(Shortened, KeepsWhatFitsAndEndsInAnEllipsis) {
    EXPECT_EQ(shortened("house", 5), "house");
    EXPECT_EQ(shortened("houses", 5), "hous…");
    EXPECT_EQ(shortened("二人の男", 5), "二人…");
    EXPECT_EQ(shortened("", 5), "");
    EXPECT_EQ(shortened("二人", 1), "二…");
}

TEST(Shortened, DoesNotTearMarksOff) {
    EXPECT_EQ(shortened("ae\u0301iou", 3), "ae\u0301…");
}

}  // namespace
}  // namespace softalign
