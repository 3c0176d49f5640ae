#pragma once

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

}  // namespace softalign
