#include "html/text.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "base/strings.h"

namespace softalign {

namespace {

struct Range {
    char32_t first;
    char32_t last;
};

// Blocks of Unicode, not single characters: what is drawn by them may be a little off and never wrong.
constexpr Range wide[] = {{0x1100, 0x115F},   {0x2E80, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},
                          {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
                          {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFD}};

constexpr Range combining_marks[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A},  {0x064B, 0x065F}, {0x0900, 0x0903},
    {0x093A, 0x093C}, {0x093E, 0x094F}, {0x0981, 0x0983}, {0x09BC, 0x09CD},  {0x0E31, 0x0E31}, {0x0E34, 0x0E3A},
    {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F},  {0x20D0, 0x20FF}, {0x302A, 0x302F},
    {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0x1F3FB, 0x1F3FF}};

template <std::size_t N>
bool holds(const Range (&ranges)[N], char32_t code) {
    return std::any_of(std::begin(ranges), std::end(ranges),
                       [&](const Range& range) { return code >= range.first && code <= range.last; });
}

char32_t decode(std::string_view bytes) {
    const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(bytes[i])); };
    constexpr char32_t first_bits[] = {0x7F, 0x1F, 0x0F, 0x07};
    char32_t code = byte(0) & first_bits[bytes.size() - 1];
    for (std::size_t i = 1; i < bytes.size(); ++i) {
        code = (code << 6) | (byte(i) & 0x3F);
    }
    return code;
}

}  // namespace

Character take_character(std::string_view& text) {
    const std::size_t length = utf8_sequence_length(text);
    Character character{0xFFFD, text.substr(0, std::max<std::size_t>(length, 1))};
    if (length > 0) {
        character.code = decode(character.bytes);
    }
    text.remove_prefix(character.bytes.size());
    return character;
}

bool is_wide(char32_t code) {
    return holds(wide, code) && !is_mark(code);
}

bool is_mark(char32_t code) {
    return holds(combining_marks, code);
}

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
