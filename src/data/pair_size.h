#pragma once

#include <cstddef>

namespace softalign {

// Whether a sentence pair is too long to be scored. `source` and `target` are in pieces. Attention has a weight for
// each pair of a source and a target piece, and all of them are in memory at once.
constexpr bool is_too_large(std::size_t source, std::size_t target) {
    constexpr std::size_t largest = std::size_t{100} << 20;
    return (source + 1) * (target + 1) > largest;
}

}  // namespace softalign
