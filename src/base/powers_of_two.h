#pragma once

#include <cstdint>

namespace softalign {

constexpr bool is_power_of_two(std::int64_t number) {
    return number > 0 && (number & (number - 1)) == 0;
}

// The smallest that is not below `number`. REQUIRES: number <= 2^62.
constexpr std::int64_t power_of_two_from(std::int64_t number) {
    std::int64_t power = 1;
    while (power < number) {
        power *= 2;
    }
    return power;
}

}  // namespace softalign
