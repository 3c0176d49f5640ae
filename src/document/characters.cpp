#include "document/characters.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "text/words.h"

namespace softalign {

UChar32 character_at(std::string_view text, std::size_t at) {
    auto position = static_cast<std::int64_t>(at);
    const auto size = static_cast<std::int64_t>(text.size());
    UChar32 character = U_SENTINEL;
    if (position < size) {
        U8_NEXT(text.data(), position, size, character);
    }
    return character;
}

std::size_t character_size(std::string_view text, std::size_t at) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(U8_LENGTH(character_at(text, at))));
}

std::size_t behind_white_space(std::string_view text, std::size_t at) {
    while (at < text.size() && u_isUWhiteSpace(character_at(text, at))) {
        at += character_size(text, at);
    }
    return at;
}

bool is_space(char c) {
    return c == ' ' || c == '\t';
}

bool is_blank_at(std::string_view text, std::size_t at) {
    return at < text.size() && is_blank(text.substr(at, 1));
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_end(char c) {
    return c == '.' || c == '!' || c == '?';
}

bool is_initial(std::string_view word) {
    return word.size() == 2 && word.back() == '.' && u_isalpha(character_at(word, 0));
}

std::string_view without_opening(std::string_view word) {
    std::size_t at = 0;
    while (at < word.size() && (word[at] == '`' || u_ispunct(character_at(word, at)))) {
        at += character_size(word, at);
    }
    return word.substr(std::min(at, word.size()));
}

}  // namespace softalign
