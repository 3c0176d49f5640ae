#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/vector_math.h"

namespace softalign {

// Two bfloat16 numbers (the upper halves of float32), the first in the low half. Processors with bfloat16 support
// multiply and add such pairs in one instruction.
using Bfloat16Pair = std::uint32_t;

// The nearest bfloat16, ties to even, in the low half; a NaN stays one.
SOFTALIGN_INLINE std::uint32_t bfloat16_bits(float x) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &x, sizeof(bits));
    const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U;
    return x != x ? 0x7FC0U : rounded;
}

SOFTALIGN_INLINE Bfloat16Pair bfloat16_pair(float first, float second) {
    return bfloat16_bits(first) | (bfloat16_bits(second) << 16U);
}

SOFTALIGN_INLINE float first_of(Bfloat16Pair pair) {
    const std::uint32_t bits = pair << 16U;
    float value = 0.0F;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}

SOFTALIGN_INLINE float second_of(Bfloat16Pair pair) {
    const std::uint32_t bits = pair & 0xFFFF0000U;
    float value = 0.0F;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}

}  // namespace softalign
