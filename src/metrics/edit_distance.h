#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "metrics/ngrams.h"

namespace softalign {

// The Levenshtein distance: the fewest substitutions, deletions and insertions that turn one sequence into another. 64
// symbols of one sequence are compared at once (Myers 1999; Hyyrö 2003), in a band around the diagonal that grows until
// the distance fits in it (Ukkonen 1985): n symbols at distance d take about n * d / 64 steps.
class EditDistance {
public:
    // Symmetric. The symbols index tables, so they should be small.
    std::int64_t between(const std::vector<Symbol>& one, const std::vector<Symbol>& other);

private:
    static constexpr std::size_t block_size = 64;

    struct Range {
        const Symbol* begin;
        std::size_t size;
    };

    std::size_t least_distance(Range one, Range other);
    std::int64_t within(Range one, Range other, std::size_t band);
    void advance_block(Range block, const Symbol* other, std::size_t begin, std::size_t end);

    std::vector<std::int64_t> counts_;  // by symbol
    std::vector<std::uint64_t> masks_;  // by symbol: its rows in a block; all 0 between blocks
    std::vector<std::int8_t> steps_;    // by position in `other`: what its symbol adds to the distance, in one row
};

}  // namespace softalign
