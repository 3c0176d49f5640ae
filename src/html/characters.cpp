#include "html/characters.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "base/utf8.h"

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

}  // namespace softalign
