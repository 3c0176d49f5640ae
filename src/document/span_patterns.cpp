#include "document/span_patterns.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace softalign {

namespace {

// What scripts without spaces between words have, in which text goes on behind a span; with their punctuation.
constexpr std::string_view unspaced = R"(\p{Han}\p{Hiragana}\p{Katakana}\u3000-\u303F\uFF00-\uFFEF)";

// The characters of a set that those scripts do not have.
std::string spaced(const std::string& set) {
    return "[[" + set + "]--[" + std::string(unspaced) + "]]";
}

// Text with braces in it, so many levels deep.
std::string with_braces(int levels) {
    const std::string plain = "[^{}]*+";
    return levels == 0 ? plain : plain + R"((?:\{)" + with_braces(levels - 1) + R"(\})" + plain + "){0,30}+";
}

// What stands between groups of digits, as in 10 000 and 25'500.
constexpr std::array<std::string_view, 5> group_signs{"\u00A0", "\u2009", "\u202F", "'", "\u2019"};

}  // namespace

// No place of a text is tried from many others. What repeats has a limit unless it is a single set, since ICU keeps a
// record of each repetition.
std::vector<std::string> common_span_patterns() {
    const std::string letter = spaced(R"(\p{L})");
    const std::string named = spaced(R"(\p{L}\p{N}._%+-)");
    const std::string in_word = spaced(R"(\p{L}\p{N})");
    const std::string host = spaced(R"(\p{L}\p{N}-)");
    // A known one begins behind other characters too.
    const std::string known = "(?:https?|ftp)://";
    const std::string scheme =
        "(?<![" + host + "+.])(?![a-z0-9+.-]{0,30}[.-]" + known + ")[a-z][a-z0-9+.-]{1,30}://|" + known;
    // Of templates, whatever they hold.
    const std::string filled = R"(\{\{[^{}]{0,200}\}\}|\{%[^{}]{0,200}%\})";
    const std::string filled_in_url = "(?:" + filled + R"(|(?<=[$#])\{[^{}]{0,200}\}))";
    const std::string in_url = R"([^\s<>"“”„«»—{)" + std::string(unspaced) + "]*";
    const std::string ends_url = R"([^\s<>"'.,;:!?)\]{}“”„‘’‚«»‹›…–—|*`।،؛؟۔)" + std::string(unspaced) + "]";
    const auto quoted = [&filled](const std::string& quote) {
        const std::string text = "[^{<>" + quote + "]*+";
        return quote + text + "(?:(?:" + filled + R"(|<%[^<>]*%>|\{))" + text + "){0,30}+" + quote;
    };
    const std::string value = "(?:" + quoted("\"") + "|" + quoted("'") + R"(|\\"[^"<>]*\\"|[^\s"'<>]+))";
    const std::string attribute =
        R"((?:[\w:.@-]{1,100}=)" + value +
        "|allowfullscreen|async|autofocus|autoplay|checked|controls|defer|disabled|download|hidden|loop|multiple|muted|"
        "novalidate|open|readonly|required|reversed|selected)";
    const std::string time = R"(\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,20})?)?)";
    const std::string short_time = R"(\d{8}[Tt]\d{4}(?:\d{2})?)";
    return {
        // URLs, without the punctuation behind them (but with_brackets).
        "(?i:" + scheme + "|(?<!" + in_word + ")(?<!" + named + R"(@)www\.))" + in_url + "(?:(?:" + filled_in_url +
            "|(?!" + filled_in_url + R"()\{))" + in_url + "){0,30}(?:" + ends_url + "|" + filled_in_url + ")",
        // With an apostrophe, as names have.
        "(?<!" + named + ")" + named + "+(?:['’]" + named + "+){0,3}@" + host + R"(+(?:\.)" + host + R"(+){0,30}\.)" +
            letter + "{2,}",
        // A date and a time of ISO 8601, whose numbers touch letters.
        R"((?<![\p{L}\p{N}])(?:)" + time + "|" + short_time + R"()(?:[Zz]|[+-]\d{2}(?::?\d{2})?)?(?![\p{L}\p{N}]))",
        // The forms of ICU's messages: {n, plural, one {# file} other {{n} files}}, {n, number, integer}.
        R"(\{\s?\w{1,100}\s?,\s?(?:(?:plural|select|selectordinal)\s?,)" + with_braces(4) +
            R"(|(?:number|date|time|spellout|ordinal|duration)\s?,\s?(?:short|medium|long|full|integer|percent|currency)"
            R"(|::\S[^{}]*|[^{}\s]*[#0][^{}]*|(?=[^{}]*(?:yy|MM|dd|HH|hh|mm))[GyMLdEHhmsSazZ:/.,' -]+))\})",
        // Placeholders of templates and of printf, the latter not behind a number, as in "5 %".
        R"(\{\{\{[^{}]*\}\}\}|\{\{[^{}]*\}\}|\{%[^{}]*%\}|[$#%]\{[^{}]*\}|\{ ?[\p{L}\p{N}_.:,!\[\]-]* ?\}|<%[^<>]*%>|\$\([\w.]*\))",
        // Tags in plain text.
        R"(</?[A-Za-z][\w:-]{0,30}(?:\s+)" + attribute + R"(){0,30}\s*/?>)",
        R"(%\([^()\s]*\)[-+#0]{0,5}\d{0,9}(?:\.\d{1,9})?[a-zA-Z])",
        R"(%%|(?<!\p{N})%(?:\d{1,9}\$)?[-+#0]{0,5}\d{0,9}(?:\.\d{1,9})?(?:hh|h|ll|l|z|j|t|L)?[diouxXeEfgGaAcsSpn@](?!)" +
            letter + ")",
        R"((?:\p{RI}\p{RI}|[\p{Extended_Pictographic}\p{Emoji_Presentation}](?:[\uFE0E\uFE0F\u20E3]|[\U000E0020-\U000E007F]|\p{Emoji_Modifier}|\u200D\p{Extended_Pictographic}){0,30}|[0-9#*]\uFE0F?\u20E3))",
    };
}

std::string escape_pattern() {
    return "(?:(?<!" + spaced(R"(\p{L}\p{N}:_\\)") +
           R"()(?<!\.\.)|(?<=\\[nrt]|(?<!\\)%[a-z]))\\[nrt])"
           R"(|\\[nrt](?!\p{Ll})|(?<![:_\\])\\[nrt](?=https?://|ftp://|www\.|[\w.+-]{1,64}@[\w-]{1,64}\.\p{L}))";
}

std::string number_pattern() {
    const std::string group =
        std::accumulate(group_signs.begin(), group_signs.end(), std::string("["),
                        [](const std::string& set, std::string_view sign) { return set + std::string(sign); }) +
        R"(]\p{Nd}{3})";
    const std::string in_groups = R"(\p{Nd}{1,3}(?:)" + group + R"(){1,30}+(?:[.,]\p{Nd}++)?+)";
    const std::string others =
        R"((?:[.,:]|[/\-\u2010\u2011\u2013\u2014\u2212](?![1-9]\p{Nd}{0,2})" + group + R"((?!\p{Nd})))\p{Nd}++)";
    const std::string quotes(sign_quotes);
    const std::string opener = "(?<![^" + std::string(sign_openers) + quotes + R"(])(?<![\p{L}\p{N}][)" + quotes + "])";
    const std::string sign = R"((?=[-+\u2212]?\.?\p{Nd})(?:)" + opener + R"((?:[-+\u2212]\.?+|\.))?+)";
    return R"((?<![\p{L}\p{N}]))" + sign + R"((?<!\p{N}[.,:])(?:)" + in_groups + R"(|(?<!\p{N}/)\p{Nd}++(?:)" + others +
           "){0,30}+)";
}

bool has_groups(std::string_view number) {
    return std::any_of(group_signs.begin(), group_signs.end(),
                       [number](std::string_view sign) { return number.find(sign) != std::string_view::npos; });
}

}  // namespace softalign
