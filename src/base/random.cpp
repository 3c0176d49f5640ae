#include "base/random.h"

#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace softalign {

namespace {

constexpr std::uint64_t golden_gamma = 0x9E3779B97F4A7C15ULL;

std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

// The high and low words of a 128-bit product, in portable C++.
std::pair<std::uint64_t, std::uint64_t> multiply_wide(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t a_low = a & 0xFFFFFFFFULL;
    const std::uint64_t a_high = a >> 32;
    const std::uint64_t b_low = b & 0xFFFFFFFFULL;
    const std::uint64_t b_high = b >> 32;
    const std::uint64_t low = a_low * b_low;
    const std::uint64_t middle = a_high * b_low + (low >> 32);
    const std::uint64_t middle_low = (middle & 0xFFFFFFFFULL) + a_low * b_high;
    const std::uint64_t high = a_high * b_high + (middle >> 32) + (middle_low >> 32);
    return {high, a * b};
}

}  // namespace

std::uint64_t mix_key(std::initializer_list<std::uint64_t> parts) {
    std::uint64_t key = golden_gamma;
    for (const std::uint64_t part : parts) {
        key = mix(key + golden_gamma + mix(part + golden_gamma));
    }
    return key;
}

std::uint64_t hash_text(const std::string& text) {
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    }
    return hash;
}

std::uint64_t Random::next() {
    key_ += golden_gamma;
    return mix(key_);
}

std::uint64_t Random::below(std::uint64_t bound) {
    auto [high, low] = multiply_wide(next(), bound);
    if (low < bound) {
        const std::uint64_t threshold = (0 - bound) % bound;
        while (low < threshold) {
            std::tie(high, low) = multiply_wide(next(), bound);
        }
    }
    return high;
}

double Random::uniform() {
    return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

std::vector<std::uint32_t> permutation(std::uint32_t size, std::uint64_t key) {
    std::vector<std::uint32_t> order(size);
    std::iota(order.begin(), order.end(), 0U);
    Random random(key);
    for (std::uint32_t i = size; i > 1; --i) {
        std::swap(order[i - 1], order[random.below(i)]);
    }
    return order;
}

}  // namespace softalign
