#pragma once

#include <unicode/utypes.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "base/strings.h"

namespace softalign {

// The character that begins at a byte of a text; U_SENTINEL at its end, and where the text is not UTF-8.
UChar32 character_at(std::string_view text, std::size_t at);

// Its bytes, at least 1.
std::size_t character_size(std::string_view text, std::size_t at);

// The first byte from `at` on that is not of white space (Unicode's property White_Space), or the size of the text.
std::size_t behind_white_space(std::string_view text, std::size_t at);

// A space or a tab.
bool is_space(char c);

// Whether there is a byte at `at`, and it is ASCII white space.
bool is_blank_at(std::string_view text, std::size_t at);

// An ASCII digit.
bool is_digit(char c);

// A full stop, an exclamation mark or a question mark of ASCII.
bool is_end(char c);

// An ASCII letter and a full stop.
bool is_initial(std::string_view word);

// A word or text without the punctuation that opens it: "Dr." of "(\"Dr.".
std::string_view without_opening(std::string_view text);

// Whether a text begins or ends with one of these.
template <std::size_t N>
bool starts_with_one(const std::array<std::string_view, N>& marks, std::string_view text) {
    return std::any_of(marks.begin(), marks.end(), [text](std::string_view mark) { return starts_with(text, mark); });
}
template <std::size_t N>
bool ends_with_one(const std::array<std::string_view, N>& marks, std::string_view text) {
    return std::any_of(marks.begin(), marks.end(), [text](std::string_view mark) { return ends_with(text, mark); });
}

}  // namespace softalign
