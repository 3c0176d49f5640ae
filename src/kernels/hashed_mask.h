#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/vector_math.h"

namespace softalign {

// Dropout masks that are functions of counters, so that no mask is stored: whoever needs one computes it again.

// A 32-bit finaliser (Wellons' lowbias32): 32-bit lanes vectorise on every processor.
SOFTALIGN_INLINE std::uint32_t hash32(std::uint32_t x) {
    x ^= x >> 16;
    x *= 0x7FEB352DU;
    x ^= x >> 15;
    x *= 0x846CA68BU;
    x ^= x >> 16;
    return x;
}

struct MaskKey {
    std::uint32_t offset;
    std::uint32_t salt;
    std::uint32_t threshold;  // the element is dropped where its hash is below
};

// Drops elements with probability p.
inline MaskKey mask_key(std::uint64_t key, double p) {
    return {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32),
            static_cast<std::uint32_t>(std::floor(p * 4294967296.0))};
}

// The hash of element `counter` of a flat mask.
SOFTALIGN_INLINE std::uint32_t mask_hash(const MaskKey& key, std::uint32_t counter) {
    return hash32(hash32(counter + key.offset) ^ key.salt);
}

}  // namespace softalign
