#include "html/text.h"

#include <spdlog/fmt/fmt.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "html/characters.h"

namespace softalign {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";
constexpr std::string_view ellipsis = "\xE2\x80\xA6";

// Embeddings, overrides and isolates. The marks U+200E and U+200F bend nothing beyond themselves and are needed.
bool overrides_direction(char32_t code) {
    return (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

// The C0 and C1 controls but for tab and line feed; C1 has no pictures.
bool is_control(char32_t code) {
    return (code < 0x20 && code != '\t' && code != '\n') || (code >= 0x7F && code < 0xA0);
}

std::string visible_code(char32_t code) {
    return fmt::format("[U+{:04X}]", static_cast<std::uint32_t>(code));
}

std::string control_picture(char32_t code) {
    if (code >= 0x80) {
        return visible_code(code);
    }
    const char32_t picture = code == 0x7F ? 0x21 : code;  // U+2400 + ...
    return std::string("\xE2\x90") + static_cast<char>(0x80 + picture);
}

std::string escaped(const Character& character) {
    switch (character.code) {
        case '&':
            return "&amp;";
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '"':
            return "&quot;";
        case '\'':
            return "&#39;";
        case 0xFFFD:
            return std::string(replacement);
        default:
            break;
    }
    if (overrides_direction(character.code)) {
        return visible_code(character.code);
    }
    return is_control(character.code) ? control_picture(character.code) : std::string(character.bytes);
}

std::size_t width_of(char32_t code) {
    return is_mark(code) ? 0 : is_wide(code) ? 2 : 1;
}

}  // namespace

std::string html_text(std::string_view text) {
    std::string result;
    result.reserve(text.size() + text.size() / 8);
    while (!text.empty()) {
        result += escaped(take_character(text));
    }
    return result;
}

std::string script_json(std::string_view json) {
    std::string result;
    for (const char c : json) {
        // They stand in strings alone, where JSON lets any character be written by its number.
        if (c == '<' || c == '>' || c == '&') {
            result += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : "\\u0026";
        } else {
            result += c;
        }
    }
    return result;
}

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    while (!text.empty()) {
        width += width_of(take_character(text).code);
    }
    return width;
}

std::string shortened(std::string_view text, std::size_t width) {
    if (display_width(text) <= width) {
        return std::string(text);
    }
    std::string result;
    std::size_t taken = 0;
    while (!text.empty()) {
        const Character character = take_character(text);
        const std::size_t more = width_of(character.code);
        if (taken > 0 && taken + more + 1 > width) {
            break;
        }
        result += character.bytes;
        taken += more;
    }
    return text.empty() && taken <= width ? result : result + std::string(ellipsis);
}

}  // namespace softalign
