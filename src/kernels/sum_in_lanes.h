#pragma once

#include <cstdint>

#include "kernels/vector_math.h"

namespace softalign {

// sum_i f(i), i in [0, width), kept in so many lanes that it vectorises without the compiler reordering additions.
template <typename T, typename Function>
SOFTALIGN_INLINE T sum_in_lanes(std::int64_t width, Function f) {
    constexpr std::int64_t lanes = 16;
    T sums[lanes] = {};
    std::int64_t i = 0;
    for (; i + lanes <= width; i += lanes) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            sums[lane] += f(i + lane);
        }
    }
    T total = 0;
    for (; i < width; ++i) {
        total += f(i);
    }
    for (const T sum : sums) {
        total += sum;
    }
    return total;
}

}  // namespace softalign
