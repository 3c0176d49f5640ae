#pragma once

#include <cstddef>

namespace softalign {

// Whether a pair of sentences is too long to be scored, in pieces: attention has a weight for each of one side with
// each of the other, and the products of these are taken at once.
constexpr bool is_too_large(std::size_t source, std::size_t target) {
    constexpr std::size_t largest = std::size_t{100} << 20;
    return (source + 1) * (target + 1) > largest;
}

}  // namespace softalign
