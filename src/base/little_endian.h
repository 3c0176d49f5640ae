#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace softalign {

// The lowest `bytes` bytes of a number, the lowest first. REQUIRES: at most 8.
inline std::string little_endian(std::uint64_t value, std::size_t bytes) {
    std::string text;
    for (std::size_t i = 0; i < bytes; ++i) {
        text += static_cast<char>(value >> (8 * i) & 0xFFU);
    }
    return text;
}

// The number that they are. REQUIRES: at most 8.
inline std::uint64_t from_little_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
    return value;
}

}  // namespace softalign
