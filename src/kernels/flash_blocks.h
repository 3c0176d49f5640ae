#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/flash_attention.h"
#include "kernels/transpose.h"
#include "kernels/vector_math.h"

namespace softalign {

// What the forward and the backward pass of flash attention have in common: how the work is cut up.

// Sums and maxima are kept in so many lanes, so that they vectorise without the compiler reordering them. Scores are
// padded to multiples of it.
constexpr std::int64_t flash_lanes = 16;
// Keys of a tile, and rows that are set against it at once: queries times the heads that share a key head. With heads
// of 64 numbers each of their matrices takes 16 KiB.
constexpr std::int64_t flash_tile = 64;
constexpr std::int64_t flash_rows = 96;

// Rows of a tile, one after another: rows that are a power of two apart would drive each other from the cache.
template <typename T>
SOFTALIGN_INLINE FlashRows<const T> flash_copy(FlashRows<const T> from, std::int64_t rows, std::int64_t width,
                                               T* __restrict to) {
    for (std::int64_t i = 0; i < rows; ++i) {
        const T* row = from.row(i);
        for (std::int64_t j = 0; j < width; ++j) {
            to[i * width + j] = row[j];
        }
    }
    return {to, width};
}

// Arrays that start on cache lines, in one piece of memory, which is zeros at first.
template <typename T>
class FlashScratch {
public:
    static std::int64_t padded(std::int64_t count) { return (count + flash_lanes - 1) / flash_lanes * flash_lanes; }

    explicit FlashScratch(std::int64_t count) : data_(new T[static_cast<std::size_t>(count + flash_lanes)]()) {
        void* start = data_.get();
        std::size_t space = static_cast<std::size_t>(count + flash_lanes) * sizeof(T);
        next_ = static_cast<T*>(std::align(flash_lanes * sizeof(float), sizeof(T), start, space));
    }

    T* take(std::int64_t count) {
        T* taken = next_;
        next_ += padded(count);
        return taken;
    }

private:
    std::unique_ptr<T[]> data_;
    T* next_;
};

// Sums and maxima over rows of lanes, for many rows at once: lanes become rows, which are added or compared.
template <typename T>
struct FlashLanes {
    T* of_rows;  // [rows,lanes]
    T* turned;   // [lanes,rows padded]

    static std::int64_t size(std::int64_t rows) { return 2 * FlashScratch<T>::padded(rows) * flash_lanes; }

    FlashLanes(FlashScratch<T>& memory, std::int64_t rows)
        : of_rows(memory.take(FlashScratch<T>::padded(rows) * flash_lanes)),
          turned(memory.take(FlashScratch<T>::padded(rows) * flash_lanes)) {}

    // to[i] = the sum of the lanes of row i, as far as the rows are padded.
    SOFTALIGN_INLINE void sum(std::int64_t rows, T* __restrict to) const {
        const std::int64_t count = turn(rows);
        for (std::int64_t i = 0; i < count; ++i) {
            T total = turned[i];
#pragma GCC unroll 16
            for (std::int64_t lane = 1; lane < flash_lanes; ++lane) {
                total += turned[lane * count + i];
            }
            to[i] = total;
        }
    }

    SOFTALIGN_INLINE void largest(std::int64_t rows, T* __restrict to) const {
        const std::int64_t count = turn(rows);
        for (std::int64_t i = 0; i < count; ++i) {
            T most = turned[i];
#pragma GCC unroll 16
            for (std::int64_t lane = 1; lane < flash_lanes; ++lane) {
                const T other = turned[lane * count + i];
                most = most > other ? most : other;
            }
            to[i] = most;
        }
    }

private:
    std::int64_t turn(std::int64_t rows) const {
        const std::int64_t count = FlashScratch<T>::padded(rows);
        transpose_small(of_rows, flash_lanes, rows, flash_lanes, turned, count);
        return count;
    }
};

// Sequences that follow one another and have the same keys, as one.
struct FlashRun {
    struct Query {
        std::int64_t row;
        std::int64_t seen;  // it sees the first `seen` keys
    };

    std::int64_t key_begin;
    std::int64_t key_length;
    std::vector<Query> queries;

    // The run that starts at range `next`, which is moved behind it.
    static FlashRun take(const std::vector<FlashRange>& ranges, bool causal, std::size_t& next) {
        const FlashRange& first = ranges[next];
        FlashRun run{first.key_begin, first.key_length, {}};
        for (; next < ranges.size(); ++next) {
            const FlashRange& range = ranges[next];
            if (range.key_begin != run.key_begin || range.key_length != run.key_length) {
                break;
            }
            for (std::int64_t t = 0; t < range.query_length; ++t) {
                const std::int64_t seen = range.key_length - (causal ? range.query_length - 1 - t : 0);
                run.queries.push_back({range.query_begin + t, std::max<std::int64_t>(seen, 0)});
            }
        }
        return run;
    }
};

// Some queries of a run with the heads of one group. Row i is query i / shared with head i % shared of the group, so
// that the rows of a query lie together in a matrix [Pq, h a] and one product per tile serves them all.
template <typename T>
struct FlashBlock {
    const FlashInput<T>& input;
    std::int64_t group;
    const FlashRun::Query* queries;
    std::int64_t count;   // of queries
    std::int64_t shared;  // heads of the group

    FlashBlock(const FlashInput<T>& of_input, std::int64_t of_group, const FlashRun& run, std::int64_t begin)
        : input(of_input),
          group(of_group),
          queries(run.queries.data() + begin),
          count(std::min(most_queries(of_input), static_cast<std::int64_t>(run.queries.size()) - begin)),
          shared(of_input.heads / of_input.groups) {}

    static std::int64_t most_queries(const FlashInput<T>& input) {
        return std::max<std::int64_t>(flash_rows * input.groups / input.heads, 1);
    }
    static std::int64_t most_rows(const FlashInput<T>& input) {
        return most_queries(input) * (input.heads / input.groups);
    }

    std::int64_t rows() const { return count * shared; }
    // The columns of the group's heads in a matrix [Pq, h a].
    std::int64_t columns() const { return shared * input.width; }
    std::int64_t first_column() const { return group * columns(); }
    // The number of query i with the first head of the group, in a matrix [Pq,h].
    std::int64_t place(std::int64_t i) const { return queries[i].row * input.heads + group * shared; }

    std::int64_t most_seen() const {
        std::int64_t most = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            most = std::max(most, queries[i].seen);
        }
        return most;
    }

    // Rows of a matrix [Pq, h a], times a factor, one after another.
    SOFTALIGN_INLINE void gather(FlashRows<const T> from, T factor, T* __restrict to) const {
        for (std::int64_t i = 0; i < count; ++i) {
            const T* row = from.row(queries[i].row) + first_column();
            for (std::int64_t j = 0; j < columns(); ++j) {
                to[i * columns() + j] = factor * row[j];
            }
        }
    }

    T scale() const { return static_cast<T>(1.0 / std::sqrt(static_cast<double>(input.width))); }

    // Keys or values from a row on, in the group's columns.
    FlashRows<const T> tile(FlashRows<const T> rows, std::int64_t first) const {
        return {rows.row(first) + group * input.width, rows.stride};
    }

    // values[j] *= the dropout mask at keys first_key + j of the row with this place.
    SOFTALIGN_INLINE void drop(std::int64_t place_of_row, std::int64_t first_key, std::int64_t keys,
                               T* __restrict values) const {
        const MaskKey key = input.dropout->key;
        const auto kept = static_cast<T>(input.dropout->kept);
        const std::uint32_t first =
            mask_hash(key, static_cast<std::uint32_t>(place_of_row)) + static_cast<std::uint32_t>(first_key);
        for (std::int64_t j = 0; j < keys; ++j) {
            values[j] *= hash32(first + static_cast<std::uint32_t>(j)) >= key.threshold ? kept : static_cast<T>(0);
        }
    }
};

}  // namespace softalign
