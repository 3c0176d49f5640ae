#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace softalign {

struct Character {
    char32_t code = 0;       // 0xFFFD for bytes that are not UTF-8
    std::string_view bytes;  // at least one
};

// Removes the first character from `text` and returns it. REQUIRES: text is not empty.
Character take_character(std::string_view& text);

// Whether a character takes two columns (East Asian scripts, emoji).
bool is_wide(char32_t code);

// Whether it combines with the character before it, or is invisible.
bool is_mark(char32_t code);

// Any bytes as text of an HTML element or quoted attribute: markup is escaped, bytes that are not UTF-8 become U+FFFD,
// control characters become their Unicode control pictures, and characters that override the text direction become
// their code, such as "[U+202E]". Line feeds and tabs stay.
std::string html_text(std::string_view text);

// JSON text for a <script type="application/json">: nothing in it can end the element.
std::string script_json(std::string_view json);

// An estimate of the columns that a text takes: two for East Asian characters and emoji, none for combining marks, one
// for other characters and for bytes that are not UTF-8.
std::size_t display_width(std::string_view text);

// `text`, or its beginning and an ellipsis, in at most `width` columns, but at least one character. A combining mark
// stays with its letter.
std::string shortened(std::string_view text, std::size_t width);

}  // namespace softalign
