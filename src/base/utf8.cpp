#include "base/utf8.h"

#include <cstdint>
#include <cstring>
#include <string_view>

namespace softalign {

namespace {

using Byte = unsigned char;

bool is_continuation(Byte byte) {
    return (byte & 0xC0) == 0x80;
}

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
        if (!is_continuation(at[i])) {
            return 0;
        }
    }
    return length;
}

}  // namespace

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

}  // namespace softalign
