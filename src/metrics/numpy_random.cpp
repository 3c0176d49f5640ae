#include "metrics/numpy_random.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace softalign {

namespace {

constexpr std::size_t pool_size = 4;
constexpr std::size_t state_words = 4;  // of 64 bits
using Pool = std::array<std::uint32_t, pool_size>;

// Turns a word into another that looks unlike it, and moves on the multiplier for the next one.
std::uint32_t scramble(std::uint32_t value, std::uint32_t& constant, std::uint32_t multiplier) {
    value ^= constant;
    constant *= multiplier;
    value *= constant;
    return value ^ value >> 16;
}

std::uint32_t mix(std::uint32_t x, std::uint32_t y) {
    const std::uint32_t mixed = 0xCA01F9DDU * x - 0x4973F715U * y;
    return mixed ^ mixed >> 16;
}

// SeedSequence(seed).generate_state(4, uint64).
std::array<std::uint64_t, state_words> seed_state(std::uint64_t seed) {
    constexpr std::uint32_t multiplier = 0x931E8875U;
    std::uint32_t constant = 0x43B0D7E5U;
    Pool pool{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
    for (std::uint32_t& word : pool) {
        word = scramble(word, constant, multiplier);
    }
    for (std::size_t from = 0; from < pool_size; ++from) {
        for (std::size_t to = 0; to < pool_size; ++to) {
            if (from != to) {
                pool[to] = mix(pool[to], scramble(pool[from], constant, multiplier));
            }
        }
    }
    constant = 0x8B51F9DDU;
    std::array<std::uint64_t, state_words> state{};
    for (std::size_t i = 0; i < 2 * state_words; ++i) {
        const std::uint64_t word = scramble(pool[i % pool_size], constant, 0x58F38DEDU);
        state[i / 2] |= word << (32 * (i % 2));
    }
    return state;
}

Uint128 uint128_of(std::uint64_t high, std::uint64_t low) {
    return static_cast<Uint128>(high) << 64 | low;
}

}  // namespace

NumpyGenerator::NumpyGenerator(std::uint64_t seed) {
    const std::array<std::uint64_t, state_words> words = seed_state(seed);
    increment_ = uint128_of(words[2], words[3]) << 1 | 1;
    step();
    state_ += uint128_of(words[0], words[1]);
    step();
}

void NumpyGenerator::step() {
    state_ = state_ * uint128_of(2549297995355413924U, 4865540595714422341U) + increment_;
}

std::uint64_t NumpyGenerator::next64() {
    step();
    const auto high = static_cast<std::uint64_t>(state_ >> 64);
    const std::uint64_t folded = high ^ static_cast<std::uint64_t>(state_);
    const unsigned turn = static_cast<unsigned>(high >> 58);
    return folded >> turn | folded << (-turn & 63U);
}

std::uint32_t NumpyGenerator::next32() {
    if (has_half_) {
        has_half_ = false;
        return half_;
    }
    const std::uint64_t both = next64();
    has_half_ = true;
    half_ = static_cast<std::uint32_t>(both >> 32);
    return static_cast<std::uint32_t>(both);
}

// Lemire 2019: the upper half of a product, and another draw where the lower half tells that some numbers would come
// more often than others.
std::vector<std::uint32_t> NumpyGenerator::choices(std::size_t below, std::size_t count) {
    std::vector<std::uint32_t> drawn(count, 0);
    if (below <= 1) {
        return drawn;  // without a draw, as numpy does
    }
    const auto range = static_cast<std::uint32_t>(below);
    const std::uint32_t threshold = -range % range;
    for (std::uint32_t& number : drawn) {
        std::uint64_t product = static_cast<std::uint64_t>(next32()) * range;
        while (static_cast<std::uint32_t>(product) < threshold) {
            product = static_cast<std::uint64_t>(next32()) * range;
        }
        number = static_cast<std::uint32_t>(product >> 32);
    }
    return drawn;
}

std::vector<std::uint32_t> NumpyGenerator::bits(std::size_t count) {
    std::vector<std::uint32_t> words((count + 31) / 32);
    for (std::uint32_t& word : words) {
        word = next32();
    }
    return words;
}

}  // namespace softalign
