#include "base/strings.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace softalign {

bool starts_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::string join(const std::vector<std::string>& items, std::string_view separator) {
    std::string result;
    for (std::size_t i = 0; i < items.size(); ++i) {
        result.append(i == 0 ? "" : separator).append(items[i]);
    }
    return result;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

bool is_digits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

namespace {

using Byte = unsigned char;

// The length of the well-formed sequence of at least two bytes at `at`, or 0.
std::size_t sequence_length(const Byte* at, std::size_t left) {
    const Byte lead = at[0];
    std::size_t length = 0;
    Byte low = 0x80;  // what the second byte may be
    Byte high = 0xBF;
    if (lead >= 0xC2 && lead <= 0xDF) {
        length = 2;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
        length = 3;
        low = lead == 0xE0 ? 0xA0 : low;
        high = lead == 0xED ? 0x9F : high;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        length = 4;
        low = lead == 0xF0 ? 0x90 : low;
        high = lead == 0xF4 ? 0x8F : high;
    }
    if (length == 0 || left < length || at[1] < low || at[1] > high) {
        return 0;
    }
    for (std::size_t i = 2; i < length; ++i) {
        if (!is_utf8_continuation(static_cast<char>(at[i]))) {
            return 0;
        }
    }
    return length;
}

}  // namespace

std::string lower_ascii(std::string_view text) {
    std::string lowered(text);
    std::transform(text.begin(), text.end(), lowered.begin(), [](char c) { return lower_ascii(c); });
    return lowered;
}

std::size_t utf8_sequence_length(std::string_view text) {
    const Byte* data = reinterpret_cast<const Byte*>(text.data());
    return data[0] < 0x80 ? 1 : sequence_length(data, text.size());
}

std::size_t first_invalid_utf8(std::string_view text) {
    const Byte* data = reinterpret_cast<const Byte*>(text.data());
    std::size_t i = 0;
    while (i < text.size()) {
        std::uint64_t word = 0;
        if (text.size() - i >= sizeof(word)) {
            std::memcpy(&word, data + i, sizeof(word));
            if ((word & 0x8080808080808080ULL) == 0) {
                i += sizeof(word);
                continue;
            }
        }
        if (data[i] < 0x80) {
            ++i;
            continue;
        }
        const std::size_t length = sequence_length(data + i, text.size() - i);
        if (length == 0) {
            return i + 1;
        }
        i += length;
    }
    return 0;
}

std::string as_utf8(std::string text) {
    std::size_t done = 0;
    while (const std::size_t column = first_invalid_utf8(std::string_view(text).substr(done))) {
        const std::size_t begin = done + column - 1;
        std::size_t end = begin + 1;
        while (end < text.size() && utf8_sequence_length(std::string_view(text).substr(end)) == 0) {
            ++end;
        }
        constexpr std::string_view replacement = "\xEF\xBF\xBD";
        text.replace(begin, end - begin, replacement);
        done = begin + replacement.size();
    }
    return text;
}

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

std::string beginning_of(std::string_view text) {
    constexpr std::size_t most = 100;  // bytes
    std::size_t length = 0;
    while (length < text.size() && length < most) {
        length += std::max<std::size_t>(utf8_sequence_length(text.substr(length)), 1);
    }
    return terminal_text(text.substr(0, length)) + (length < text.size() ? "..." : "");
}

namespace {

bool is_plain(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string("_-./:=@%+,").find(c) != std::string::npos;
}

}  // namespace

std::string shell_word(const std::string& text) {
    if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) {
        return text;
    }
    std::string quoted = "'";
    for (const char c : text) {
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return quoted + "'";
}

}  // namespace softalign
