#include "metrics/edit_distance.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace softalign {

std::int64_t EditDistance::between(const std::vector<Symbol>& one, const std::vector<Symbol>& other) {
    Range left{one.data(), one.size()};
    Range right{other.data(), other.size()};
    // A common beginning or end belongs to some shortest sequence of edits.
    while (left.size > 0 && right.size > 0 && *left.begin == *right.begin) {
        ++left.begin, --left.size;
        ++right.begin, --right.size;
    }
    while (left.size > 0 && right.size > 0 && left.begin[left.size - 1] == right.begin[right.size - 1]) {
        --left.size, --right.size;
    }
    const std::size_t longer = std::max(left.size, right.size);
    const std::size_t least = least_distance(left, right);
    if (least == longer) {
        return static_cast<std::int64_t>(longer);
    }
    for (std::size_t band = std::max(block_size, least);; band *= 2) {
        const std::int64_t distance = within(left, right, band);
        if (distance <= static_cast<std::int64_t>(band) || band >= longer) {
            return distance;
        }
    }
}

// Each symbol of the longer sequence that has no partner in the other costs an edit. Makes the tables large enough.
std::size_t EditDistance::least_distance(Range one, Range other) {
    Symbol largest = 0;
    for (const Range& range : {one, other}) {
        for (std::size_t i = 0; i < range.size; ++i) {
            largest = std::max(largest, range.begin[i]);
        }
    }
    counts_.assign(std::size_t{largest} + 1, 0);
    masks_.resize(std::max(masks_.size(), counts_.size()), 0);
    for (std::size_t i = 0; i < one.size; ++i) {
        ++counts_[one.begin[i]];
    }
    std::size_t common = 0;
    for (std::size_t i = 0; i < other.size; ++i) {
        common += counts_[other.begin[i]]-- > 0 ? 1 : 0;
    }
    return std::max(one.size, other.size) - common;
}

// The distance if that is at most `band`, else at least the distance: prefixes are compared only where their lengths
// differ by at most `band`, since no more edits than that lead to any other. REQUIRES: so do the whole lengths.
std::int64_t EditDistance::within(Range one, Range other, std::size_t band) {
    steps_.assign(other.size,
                  1);           // above the first row; and to the right of the band, where it is the most there can be
    std::int64_t distance = 0;  // of the rows so far and the first `begin` symbols of `other`
    std::size_t begin = 0;
    const auto step = [this](std::size_t position) { return steps_.begin() + static_cast<std::ptrdiff_t>(position); };
    for (std::size_t row = 0; row < one.size; row += block_size) {
        const Range block{one.begin + row, std::min(block_size, one.size - row)};
        const std::size_t next = std::min(row - std::min(row, band), other.size);
        distance = std::accumulate(step(begin), step(next), distance);
        begin = next;
        advance_block(block, other.begin, begin, std::min(other.size, row + block.size + band));
        distance += static_cast<std::int64_t>(block.size);  // down the left edge of the band: the most there can be
    }
    return std::accumulate(step(begin), steps_.end(), distance);
}

// Takes the steps from the row above the block to its last row, for the symbols [begin, end) of `other`.
void EditDistance::advance_block(Range block, const Symbol* other, std::size_t begin, std::size_t end) {
    for (std::size_t i = 0; i < block.size; ++i) {
        masks_[block.begin[i]] |= std::uint64_t{1} << i;
    }
    const std::size_t last = block.size - 1;
    std::uint64_t rises = ~std::uint64_t{0};  // bit i: the distance grows by one from the row above to row i
    std::uint64_t falls = 0;                  // it shrinks by one
    for (std::size_t j = begin; j < end; ++j) {
        const std::uint64_t up = steps_[j] > 0 ? 1 : 0;
        const std::uint64_t down = steps_[j] < 0 ? 1 : 0;
        const std::uint64_t equal = masks_[other[j]];
        const std::uint64_t vertical = equal | falls;
        const std::uint64_t start = equal | down;
        const std::uint64_t horizontal = (((start & rises) + rises) ^ rises) | start;
        std::uint64_t right_rises = falls | ~(horizontal | rises);
        std::uint64_t right_falls = rises & horizontal;
        steps_[j] = static_cast<std::int8_t>(static_cast<int>(right_rises >> last & 1) -
                                             static_cast<int>(right_falls >> last & 1));
        right_rises = right_rises << 1 | up;
        right_falls = right_falls << 1 | down;
        rises = right_falls | ~(vertical | right_rises);
        falls = right_rises & vertical;
    }
    for (std::size_t i = 0; i < block.size; ++i) {
        masks_[block.begin[i]] = 0;
    }
}

}  // namespace softalign
