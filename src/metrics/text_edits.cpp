#include "metrics/text_edits.h"

#include <algorithm>
#include <string>

#include "base/strings.h"

namespace softalign {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_period_or_comma(char c) {
    return c == '.' || c == ',';
}

// Space is among it.
bool is_separated(char c) {
    const auto in = [c](char first, char last) { return c >= first && c <= last; };
    return in(' ', '&') || in('(', '+') || c == '/' || in(':', '@') || in('[', '`') || in('{', '~');
}

}  // namespace

void decode_entities(std::string& text) {
    if (text.find('&') == std::string::npos) {
        return;
    }
    replace_all(text, "&quot;", "\"");
    replace_all(text, "&amp;", "&");
    replace_all(text, "&lt;", "<");
    replace_all(text, "&gt;", ">");
}

std::string separate_ascii_punctuation(const std::string& text) {
    return space_around(text, is_separated);
}

std::string separate_periods_and_dashes(std::string text) {
    const auto is_wanted = [](char c) { return is_period_or_comma(c) || c == '-'; };
    if (std::none_of(text.begin(), text.end(), is_wanted)) {
        return text;
    }
    text = space_pairs(text, Outside::after, [](char a, char b) { return is_period_or_comma(b) && !is_digit(a); });
    text = space_pairs(text, Outside::before, [](char a, char b) { return is_period_or_comma(a) && !is_digit(b); });
    return space_pairs(text, Outside::after, [](char a, char b) { return b == '-' && is_digit(a); });
}

}  // namespace softalign
