#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace softalign {

// "15 550 784", with narrow no-break spaces.
inline std::string grouped(std::int64_t value) {
    std::string digits = std::to_string(value);
    const std::size_t first = digits[0] == '-' ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3;) {
        at -= 3;
        digits.insert(at, "\u202F");
    }
    return digits;
}

}  // namespace softalign
