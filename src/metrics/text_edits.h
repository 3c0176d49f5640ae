#pragma once

#include <cstddef>
#include <string>

namespace softalign {

// Steps that the tokenizers of BLEU and TER share.

// &quot; &amp; &lt; &gt;, in this order.
void decode_entities(std::string& text);
// Puts spaces around all ASCII punctuation except apostrophe, comma, hyphen and period.
std::string separate_ascii_punctuation(const std::string& text);
// Puts spaces around periods and commas that are not between digits, and around hyphens after a digit.
std::string separate_periods_and_dashes(std::string text);

// Puts a space before and after each unit that `matches`.
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

// For each pair of neighbours that `matches`, puts a space between them and one before or after the pair. Pairs do not
// overlap: the second unit of a pair never starts another one. Works on bytes too if only ASCII can match.
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
