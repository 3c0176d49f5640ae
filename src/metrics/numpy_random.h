#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softalign {

__extension__ typedef unsigned __int128 Uint128;

// numpy.random.default_rng(seed): PCG64 (O'Neill 2014), seeded by numpy's SeedSequence. Returns the same numbers as
// numpy, in the same order.
class NumpyGenerator {
public:
    explicit NumpyGenerator(std::uint64_t seed);

    // rng.choice(below, size=count): indices 0..below-1, drawn with replacement. REQUIRES: 0 < below < 2^32.
    std::vector<std::uint32_t> choices(std::size_t below, std::size_t count);

    // rng.integers(2, size=count, dtype=bool): bit by bit, starting with the lowest bit of the first word.
    std::vector<std::uint32_t> bits(std::size_t count);

private:
    std::uint64_t next64();
    std::uint32_t next32();
    void step();

    Uint128 state_ = 0;
    Uint128 increment_ = 0;
    bool has_half_ = false;  // the upper half of the last draw is still unused
    std::uint32_t half_ = 0;
};

}  // namespace softalign
