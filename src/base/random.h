#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace softalign {

// Mixes a seed with any number of coordinates (epoch, update, shard, example, ...) into one 64-bit key. All randomness
// of the program is a function of such keys, never of stored generator state, so that a run can resume at any point
// and the number of threads does not matter.
std::uint64_t mix_key(std::initializer_list<std::uint64_t> parts);

// FNV-1a (Fowler, Noll and Vo), for keys from names.
std::uint64_t hash_text(const std::string& text);

// SplitMix64 (Steele, Lea, Flood 2014): a counter pushed through a mixing function. The k-th value is a function of
// (key, k) alone.
class Random {
public:
    explicit Random(std::uint64_t key) : key_(key) {}

    // The next 64 uniform bits.
    std::uint64_t next();

    // A uniform integer in [0, bound). REQUIRES: bound > 0. Unbiased (Lemire 2019).
    std::uint64_t below(std::uint64_t bound);

    // A uniform double in [0, 1).
    double uniform();

private:
    std::uint64_t key_;
};

// A permutation of 0..size-1 (Fisher-Yates), a function of the key alone.
std::vector<std::uint32_t> permutation(std::uint32_t size, std::uint64_t key);

}  // namespace softalign
