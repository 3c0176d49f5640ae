#include "kernels/flash_attention.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/flash_blocks.h"
#include "kernels/instruction_sets.h"
#include "kernels/small_product.h"
#include "kernels/transpose.h"
#include "kernels/vector_math.h"

namespace softalign {

namespace {

constexpr std::int64_t lanes = flash_lanes;
constexpr std::int64_t tile = flash_tile;
// Rows that read a tile's values too few times for a copy to pay.
constexpr std::int64_t few_rows = 32;

template <typename T>
struct ForwardScratch {
    T* keys;       // [a,tile] transposed
    T* values;     // [tile,a]
    T* queries;    // [rows,a] scaled
    T* scores;     // [rows,tile], then weights, to be divided by the sums in the end
    T* collected;  // [rows,a] the values by these weights
    T* largest;    // [rows] score so far
    T* sums;       // [rows] of e^(score - largest)
    T* of_tile;    // [rows] the largest score or the sum of the present tile
    T* factors;    // [rows] by which the tile corrects what was collected before
    FlashLanes<T> lanes_of_rows;

    static std::int64_t size(std::int64_t rows, std::int64_t width) {
        const auto padded = FlashScratch<T>::padded;
        return 2 * padded(tile * width) + 2 * padded(rows * width) + rows * tile + 4 * padded(rows) +
               FlashLanes<T>::size(rows);
    }

    ForwardScratch(FlashScratch<T>& memory, std::int64_t rows, std::int64_t width)
        : keys(memory.take(tile * width)),
          values(memory.take(tile * width)),
          queries(memory.take(rows * width)),
          scores(memory.take(rows * tile)),
          collected(memory.take(rows * width)),
          largest(memory.take(rows)),
          sums(memory.take(rows)),
          of_tile(memory.take(rows)),
          factors(memory.take(rows)),
          lanes_of_rows(memory, rows) {}
};

// The largest scores of a row in each lane, among the first `seen`.
template <typename T>
SOFTALIGN_INLINE void largest_lanes(const T* scores, std::int32_t seen, std::int64_t count, T* __restrict largest) {
    constexpr T lowest = -std::numeric_limits<T>::infinity();
    std::fill_n(largest, lanes, lowest);
    for (std::int64_t j = 0; j < count; j += lanes) {
#pragma GCC unroll 1
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            const T value = scores[j + lane];
            const T score = static_cast<std::int32_t>(j + lane) < seen ? value : lowest;
            largest[lane] = largest[lane] > score ? largest[lane] : score;
        }
    }
}

// The first `seen` scores become e^(score - shift), the rest zero; their sums in each lane.
template <typename T>
SOFTALIGN_INLINE void exponentials(T* scores, T shift, std::int32_t seen, std::int64_t count, T* __restrict sums) {
    std::fill_n(sums, lanes, static_cast<T>(0));
    for (std::int64_t j = 0; j < count; j += lanes) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            const T value = vector_exp(scores[j + lane] - shift);
            const T weight = static_cast<std::int32_t>(j + lane) < seen ? value : static_cast<T>(0);
            scores[j + lane] = weight;
            sums[lane] += weight;
        }
    }
}

// How many keys of the tile the block's query i sees.
template <typename T>
SOFTALIGN_INLINE std::int32_t seen_of(const FlashBlock<T>& block, std::int64_t i, std::int64_t first_key,
                                      std::int64_t keys) {
    return static_cast<std::int32_t>(std::min(block.queries[i].seen - first_key, keys));
}

// Where a tile raises the largest score of a row, what the row has collected is to shrink by a factor.
template <typename T>
SOFTALIGN_INLINE void raise_largest(const ForwardScratch<T>& scratch, std::int64_t rows) {
    for (std::int64_t row = 0; row < rows; ++row) {
        const T before = scratch.largest[row];
        const T now = before > scratch.of_tile[row] ? before : scratch.of_tile[row];
        // A row that has seen nothing yet is at minus infinity, which cannot be subtracted.
        const T finite = now > std::numeric_limits<T>::lowest() ? now : std::numeric_limits<T>::lowest();
        scratch.factors[row] = vector_exp(before - finite);
        scratch.largest[row] = finite;
        scratch.sums[row] *= scratch.factors[row];
    }
}

// The scores of a block against a tile become weights, and their sums are left in the lanes of the rows.
template <typename T>
SOFTALIGN_INLINE void exponentiate_tile(const FlashBlock<T>& block, const ForwardScratch<T>& scratch,
                                        std::int64_t first_key, std::int64_t keys) {
    const std::int64_t count = FlashScratch<T>::padded(keys);
    for (std::int64_t row = 0, i = 0; i < block.count; ++i) {
        const std::int32_t seen = seen_of(block, i, first_key, keys);
        for (std::int64_t j = 0; j < block.shared; ++j, ++row) {
            T* scores = scratch.scores + row * tile;
            exponentials(scores, scratch.largest[row], seen, count, scratch.lanes_of_rows.of_rows + row * lanes);
            if (block.input.dropout != nullptr) {
                block.drop(block.place(i) + j, first_key, count, scores);
            }
        }
    }
}

// The scores of a block against a tile become weights, and what was collected before is corrected.
template <typename T>
SOFTALIGN_INLINE void weigh_tile(const FlashBlock<T>& block, const ForwardScratch<T>& scratch, std::int64_t first_key,
                                 std::int64_t keys) {
    const std::int64_t count = FlashScratch<T>::padded(keys);
    const std::int64_t rows = FlashScratch<T>::padded(block.rows());
    const std::int64_t shared = block.shared;
    const std::int64_t width = block.input.width;
    const FlashLanes<T>& of_rows = scratch.lanes_of_rows;
    for (std::int64_t row = 0, i = 0; i < block.count; ++i) {
        const std::int32_t seen = seen_of(block, i, first_key, keys);
        for (std::int64_t j = 0; j < shared; ++j, ++row) {
            largest_lanes(scratch.scores + row * tile, seen, count, of_rows.of_rows + row * lanes);
        }
    }
    of_rows.largest(block.rows(), scratch.of_tile);
    raise_largest(scratch, rows);
    exponentiate_tile(block, scratch, first_key, keys);
    of_rows.sum(block.rows(), scratch.of_tile);
    for (std::int64_t row = 0; row < rows; ++row) {
        scratch.sums[row] += scratch.of_tile[row];
    }
    for (std::int64_t row = 0; row < block.rows() && first_key > 0; ++row) {
        if (scratch.factors[row] != static_cast<T>(1)) {
            T* collected = scratch.collected + row * width;
            for (std::int64_t c = 0; c < width; ++c) {
                collected[c] *= scratch.factors[row];
            }
        }
    }
}

template <typename T>
SOFTALIGN_INLINE void end_block(const FlashBlock<T>& block, const ForwardScratch<T>& scratch, FlashRows<T> outputs,
                                T* log_sums) {
    const std::int64_t width = block.input.width;
    std::int64_t row = 0;
    for (std::int64_t i = 0; i < block.count; ++i) {
        T* to = outputs.row(block.queries[i].row) + block.first_column();
        const bool sees = block.queries[i].seen > 0;
        for (std::int64_t j = 0; j < block.shared; ++j, ++row, to += width) {
            const T factor = sees ? static_cast<T>(1) / scratch.sums[row] : static_cast<T>(0);
            const T* collected = scratch.collected + row * width;
            for (std::int64_t c = 0; c < width; ++c) {
                to[c] = sees ? factor * collected[c] : static_cast<T>(0);
            }
            if (log_sums != nullptr) {
                log_sums[block.place(i) + j] =
                    sees ? scratch.largest[row] + std::log(scratch.sums[row]) : static_cast<T>(0);
            }
        }
    }
}

template <typename T>
SOFTALIGN_INLINE void start_block(const FlashBlock<T>& block, const ForwardScratch<T>& scratch) {
    block.gather(block.input.queries, block.scale(), scratch.queries);
    std::fill_n(scratch.largest, FlashScratch<T>::padded(block.rows()), -std::numeric_limits<T>::infinity());
    std::fill_n(scratch.sums, FlashScratch<T>::padded(block.rows()), static_cast<T>(0));
}

template <typename T>
SOFTALIGN_INLINE void score_tile(const FlashBlock<T>& block, const ForwardScratch<T>& scratch, std::int64_t first_row,
                                 std::int64_t keys) {
    const std::int64_t width = block.input.width;
    const FlashRows<const T> of_keys = block.tile(block.input.keys, first_row);
    transpose_small(of_keys.data, of_keys.stride, keys, width, scratch.keys, tile);
    multiply_small(SmallProduct<T>{scratch.queries, width, 1, scratch.keys, tile, scratch.scores, tile, block.rows(),
                                   width, keys, false});
}

// What is done with a block and the first row of its keys.
template <typename T>
struct Outputs {
    FlashRows<T> outputs;
    T* log_sums;

    SOFTALIGN_INLINE void run(const FlashBlock<T>& block, std::int64_t key_begin,
                              const ForwardScratch<T>& scratch) const {
        const std::int64_t width = block.input.width;
        const std::int64_t end = block.most_seen();
        start_block(block, scratch);
        for (std::int64_t first = 0; first < end; first += tile) {
            const std::int64_t keys = std::min(tile, end - first);
            score_tile(block, scratch, key_begin + first, keys);
            weigh_tile(block, scratch, first, keys);
            FlashRows<const T> values = block.tile(block.input.values, key_begin + first);
            if (block.rows() >= few_rows) {
                values = flash_copy(values, keys, width, scratch.values);
            }
            multiply_small(SmallProduct<T>{scratch.scores, tile, 1, values.data, values.stride, scratch.collected,
                                           width, block.rows(), keys, width, first > 0});
        }
        end_block(block, scratch, outputs, log_sums);
    }
};

template <typename T>
struct MeanWeights {
    FlashRows<T> means;

    // Adds the weights of a tile, whose scores are e^(score - largest).
    SOFTALIGN_INLINE void add(const FlashBlock<T>& block, std::int64_t first_key, std::int64_t keys,
                              const ForwardScratch<T>& scratch) const {
        std::int64_t row = 0;
        for (std::int64_t i = 0; i < block.count; ++i) {
            const std::int32_t seen = seen_of(block, i, first_key, keys);
            T* __restrict to = means.row(block.queries[i].row) + first_key;
            for (std::int64_t j = 0; j < block.shared; ++j, ++row) {
                const T factor = static_cast<T>(1) / (scratch.sums[row] * static_cast<T>(block.input.heads));
                const T* weights = scratch.scores + row * tile;
                for (std::int32_t s = 0; s < seen; ++s) {
                    to[s] += factor * weights[s];
                }
            }
        }
    }

    // The sums must be known before the weights, so that several tiles are scored twice.
    SOFTALIGN_INLINE void run(const FlashBlock<T>& block, std::int64_t key_begin,
                              const ForwardScratch<T>& scratch) const {
        const std::int64_t end = block.most_seen();
        start_block(block, scratch);
        for (std::int64_t first = 0; first < end; first += tile) {
            score_tile(block, scratch, key_begin + first, std::min(tile, end - first));
            weigh_tile(block, scratch, first, std::min(tile, end - first));
        }
        for (std::int64_t first = 0; first < end; first += tile) {
            const std::int64_t keys = std::min(tile, end - first);
            if (end > tile) {
                score_tile(block, scratch, key_begin + first, keys);
                exponentiate_tile(block, scratch, first, keys);
            }
            add(block, first, keys, scratch);
        }
    }
};

// run() of one of the two, for each instruction set.
void run_block(const FlashBlock<float>& block, std::int64_t key_begin, const ForwardScratch<float>& scratch,
               const Outputs<float>& results) {
    with_best_instructions([=]() SOFTALIGN_INLINE_BODY { results.run(block, key_begin, scratch); });
}
void run_block(const FlashBlock<float>& block, std::int64_t key_begin, const ForwardScratch<float>& scratch,
               const MeanWeights<float>& results) {
    with_best_instructions([=]() SOFTALIGN_INLINE_BODY { results.run(block, key_begin, scratch); });
}
template <typename Results>
void run_block(const FlashBlock<double>& block, std::int64_t key_begin, const ForwardScratch<double>& scratch,
               const Results& results) {
    results.run(block, key_begin, scratch);
}

template <typename T, typename Results>
void run_blocks(const FlashInput<T>& input, const Results& results) {
    const std::int64_t rows = FlashBlock<T>::most_rows(input);
    FlashScratch<T> memory(ForwardScratch<T>::size(rows, input.width));
    const ForwardScratch<T> scratch(memory, rows, input.width);
    const std::int64_t most = FlashBlock<T>::most_queries(input);
    for (std::size_t next = 0; next < input.ranges.size();) {
        const FlashRun run = FlashRun::take(input.ranges, input.causal, next);
        const auto queries = static_cast<std::int64_t>(run.queries.size());
        for (std::int64_t group = 0; group < input.groups; ++group) {
            for (std::int64_t begin = 0; begin < queries; begin += most) {
                run_block(FlashBlock<T>(input, group, run, begin), run.key_begin, scratch, results);
            }
        }
    }
}

}  // namespace

void flash_forward(const FlashInput<float>& input, FlashRows<float> outputs, float* log_sums) {
    run_blocks(input, Outputs<float>{outputs, log_sums});
}

void flash_forward(const FlashInput<double>& input, FlashRows<double> outputs, double* log_sums) {
    run_blocks(input, Outputs<double>{outputs, log_sums});
}

void flash_weights(const FlashInput<float>& input, FlashRows<float> means) {
    run_blocks(input, MeanWeights<float>{means});
}

void flash_weights(const FlashInput<double>& input, FlashRows<double> means) {
    run_blocks(input, MeanWeights<double>{means});
}

}  // namespace softalign
