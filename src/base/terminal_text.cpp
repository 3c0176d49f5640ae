#include "base/terminal_text.h"

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/utf8.h"

namespace softalign {

namespace {

// The character of a well-formed sequence.
std::uint32_t code_point(std::string_view sequence) {
    const auto lead = static_cast<unsigned char>(sequence.front());
    std::uint32_t value = sequence.size() == 1 ? lead : lead & (0x7FU >> sequence.size());
    for (const char byte : sequence.substr(1)) {
        value = value << 6 | (static_cast<unsigned char>(byte) & 0x3FU);
    }
    return value;
}

bool is_control(std::uint32_t character) {
    return (character < 0x20 && character != '\n' && character != '\t') || (character >= 0x7F && character < 0xA0);
}

// Marks, embeddings, overrides and isolates of direction, and the line and paragraph separators.
bool changes_layout(std::uint32_t character) {
    return character == 0x061C || character == 0x200E || character == 0x200F ||
           (character >= 0x2028 && character <= 0x202E) || (character >= 0x2066 && character <= 0x2069);
}

std::string spelled(const char* format, std::uint32_t number) {
    char text[16];
    std::snprintf(text, sizeof text, format, static_cast<unsigned>(number));
    return text;
}

}  // namespace

std::string terminal_text(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t length = utf8_sequence_length(text);
        const std::string_view sequence = text.substr(0, length == 0 ? 1 : length);
        const std::uint32_t character = length == 0 ? static_cast<unsigned char>(text.front()) : code_point(sequence);
        if (length == 0 || is_control(character)) {
            result += spelled("\\x%02X", character);
        } else if (changes_layout(character)) {
            result += spelled("\\u%04X", character);
        } else {
            result += sequence;
        }
        text.remove_prefix(sequence.size());
    }
    return result;
}

}  // namespace softalign
