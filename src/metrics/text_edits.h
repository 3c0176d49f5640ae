#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace softalign {

// Steps that the tokenizers of BLEU and TER share.

void replace_all(std::string& text, std::string_view from, std::string_view to);
// &quot; &amp; &lt; &gt;, in this order.
void decode_entities(std::string& text);
// A space on both sides of all ASCII punctuation but apostrophe, comma, hyphen and period.
std::string separate_ascii_punctuation(const std::string& text);
// Spaces around periods and commas that are not between digits, and around a hyphen behind a digit.
std::string separate_periods_and_dashes(std::string text);

// A space before and after each unit that `matches`.
template <class String, class Matches>
String space_around(const String& text, Matches matches) {
    String spaced;
    spaced.reserve(text.size() + text.size() / 4);
    for (const auto unit : text) {
        if (matches(unit)) {
            spaced.push_back(' ');
            spaced.push_back(unit);
            spaced.push_back(' ');
        } else {
            spaced.push_back(unit);
        }
    }
    return spaced;
}

enum class Outside { before, after };

// Puts a space between two neighbours and one outside of them, for each pair that `matches`. Pairs do not overlap: what
// a pair has used does not begin another one. Bytes serve as well as code points where only ASCII can match.
template <class String, class Matches>
String space_pairs(const String& text, Outside outside, Matches matches) {
    String spaced;
    spaced.reserve(text.size() + text.size() / 4);
    std::size_t at = 0;
    while (at < text.size()) {
        if (at + 1 == text.size() || !matches(text[at], text[at + 1])) {
            spaced.push_back(text[at++]);
            continue;
        }
        if (outside == Outside::before) {
            spaced.push_back(' ');
        }
        spaced.push_back(text[at]);
        spaced.push_back(' ');
        spaced.push_back(text[at + 1]);
        if (outside == Outside::after) {
            spaced.push_back(' ');
        }
        at += 2;
    }
    return spaced;
}

}  // namespace softalign
