#pragma once

#include <string_view>

namespace softalign {

struct Character {
    char32_t code = 0;       // 0xFFFD for what is not UTF-8
    std::string_view bytes;  // at least one
};

// Takes the first character off `text`. REQUIRES: text is not empty.
Character take_character(std::string_view& text);

// Whether a character takes two columns (East Asian writing, pictures).
bool is_wide(char32_t code);

// Whether it stands on the one before it, or shows nothing.
bool is_mark(char32_t code);

}  // namespace softalign
