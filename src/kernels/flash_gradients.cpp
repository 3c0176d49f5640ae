#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/flash_attention.h"
#include "kernels/flash_blocks.h"
#include "kernels/instruction_sets.h"
#include "kernels/small_product.h"
#include "kernels/transpose.h"
#include "kernels/vector_math.h"

namespace softalign {

namespace {

constexpr std::int64_t lanes = flash_lanes;
constexpr std::int64_t tile = flash_tile;

template <typename T>
struct BackwardScratch {
    T* keys;          // [a,tile] transposed
    T* values;        // [a,tile] transposed
    T* own_keys;      // [tile,a]
    T* grad_keys;     // [tile,a]
    T* grad_values;   // [tile,a]
    T* queries;       // [rows,a] scaled
    T* grad_outputs;  // [rows,a]
    T* grad_queries;  // [rows,a]
    T* scores;        // [rows,tile], then their gradients
    T* weights;       // [rows,tile]: gradients of the weights, then the weights
    T* means;         // [Pq,h] of the weights' gradients, by the weights
    T* of_heads;      // [h] those of one query
    FlashLanes<T> lanes_of_heads;

    static std::int64_t size(std::int64_t rows, std::int64_t width, std::int64_t queries, std::int64_t heads) {
        const auto padded = FlashScratch<T>::padded;
        return 5 * padded(tile * width) + 3 * padded(rows * width) + 2 * rows * tile + padded(queries * heads) +
               padded(heads) + FlashLanes<T>::size(heads);
    }

    BackwardScratch(FlashScratch<T>& memory, std::int64_t rows, std::int64_t width, std::int64_t queries,
                    std::int64_t heads)
        : keys(memory.take(tile * width)),
          values(memory.take(tile * width)),
          own_keys(memory.take(tile * width)),
          grad_keys(memory.take(tile * width)),
          grad_values(memory.take(tile * width)),
          queries(memory.take(rows * width)),
          grad_outputs(memory.take(rows * width)),
          grad_queries(memory.take(rows * width)),
          scores(memory.take(rows * tile)),
          weights(memory.take(rows * tile)),
          means(memory.take(queries * heads)),
          of_heads(memory.take(heads)),
          lanes_of_heads(memory, heads) {}
};

// Scores and the gradients of the weights become the gradients of the scores and the weights; zeros from `seen` on.
template <typename T>
SOFTALIGN_INLINE void differentiate_row(T* __restrict scores, T* __restrict weights, const T* __restrict mask,
                                        T log_sum, T mean, std::int32_t seen, std::int64_t count) {
    for (std::int64_t j = 0; j < count; j += lanes) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            const bool sees = static_cast<std::int32_t>(j + lane) < seen;
            const T value = vector_exp(scores[j + lane] - log_sum);
            const T weight = sees ? value : static_cast<T>(0);
            const T kept = mask[j + lane];
            const T gradient = sees ? weights[j + lane] : static_cast<T>(0);
            scores[j + lane] = weight * (gradient * kept - mean);
            weights[j + lane] = weight * kept;
        }
    }
}

template <typename T>
SOFTALIGN_INLINE void differentiate_tile(const FlashBlock<T>& block, const BackwardScratch<T>& scratch,
                                         const T* log_sums, std::int64_t first_key, std::int64_t keys) {
    const std::int64_t count = FlashScratch<T>::padded(keys);
    T mask[tile];
    std::fill_n(mask, tile, static_cast<T>(1));
    std::int64_t row = 0;
    for (std::int64_t i = 0; i < block.count; ++i) {
        const auto seen = static_cast<std::int32_t>(std::min(block.queries[i].seen - first_key, keys));
        for (std::int64_t j = 0; j < block.shared; ++j, ++row) {
            const std::int64_t place = block.place(i) + j;
            if (block.input.dropout != nullptr) {
                std::fill_n(mask, tile, static_cast<T>(1));
                block.drop(place, first_key, count, mask);
            }
            differentiate_row(scratch.scores + row * tile, scratch.weights + row * tile, mask, log_sums[place],
                              scratch.means[place], seen, count);
        }
    }
}

// What a block adds to the gradients of a tile's keys and values, and of its own queries.
template <typename T>
SOFTALIGN_INLINE void run_block_back(const FlashBlock<T>& block, const FlashGradients<T>& gradients,
                                     const BackwardScratch<T>& scratch, std::int64_t first, std::int64_t keys) {
    const FlashInput<T>& input = block.input;
    const std::int64_t width = input.width;
    const std::int64_t rows = block.rows();
    const T scale = block.scale();
    block.gather(input.queries, scale, scratch.queries);
    block.gather(gradients.grad_outputs, static_cast<T>(1), scratch.grad_outputs);
    multiply_small(
        SmallProduct<T>{scratch.queries, width, 1, scratch.keys, tile, scratch.scores, tile, rows, width, keys, false});
    multiply_small(SmallProduct<T>{scratch.grad_outputs, width, 1, scratch.values, tile, scratch.weights, tile, rows,
                                   width, keys, false});
    differentiate_tile(block, scratch, gradients.log_sums, first, keys);
    multiply_small(SmallProduct<T>{scratch.weights, 1, tile, scratch.grad_outputs, width, scratch.grad_values, width,
                                   keys, rows, width, true});
    multiply_small(SmallProduct<T>{scratch.scores, 1, tile, scratch.queries, width, scratch.grad_keys, width, keys,
                                   rows, width, true});
    multiply_small(SmallProduct<T>{scratch.scores, tile, 1, scratch.own_keys, width, scratch.grad_queries, width, rows,
                                   keys, width, false});
    for (std::int64_t i = 0; i < block.count; ++i) {
        T* __restrict to = gradients.grad_queries.row(block.queries[i].row) + block.first_column();
        const T* from = scratch.grad_queries + i * block.columns();
        for (std::int64_t j = 0; j < block.columns(); ++j) {
            to[j] += scale * from[j];
        }
    }
}

template <typename T>
SOFTALIGN_INLINE void add_rows(const T* from, std::int64_t rows, std::int64_t width, T* __restrict to,
                               std::int64_t stride) {
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < width; ++j) {
            to[i * stride + j] += from[i * width + j];
        }
    }
}

// The keys and values of one tile of a run, with all queries that see them.
template <typename T>
SOFTALIGN_INLINE void run_tile_back(const FlashInput<T>& input, const FlashGradients<T>& gradients,
                                    const BackwardScratch<T>& scratch, const FlashRun& run, std::int64_t group,
                                    std::int64_t first) {
    const std::int64_t width = input.width;
    const std::int64_t keys = std::min(tile, run.key_length - first);
    const std::int64_t row = run.key_begin + first;
    const std::int64_t column = group * width;
    flash_copy<T>({input.keys.row(row) + column, input.keys.stride}, keys, width, scratch.own_keys);
    transpose_small(input.keys.row(row) + column, input.keys.stride, keys, width, scratch.keys, tile);
    transpose_small(input.values.row(row) + column, input.values.stride, keys, width, scratch.values, tile);
    std::fill_n(scratch.grad_keys, keys * width, static_cast<T>(0));
    std::fill_n(scratch.grad_values, keys * width, static_cast<T>(0));
    const auto queries = static_cast<std::int64_t>(run.queries.size());
    const std::int64_t most = FlashBlock<T>::most_queries(input);
    for (std::int64_t begin = 0; begin < queries; begin += most) {
        const FlashBlock<T> block(input, group, run, begin);
        if (block.most_seen() > first) {
            run_block_back(block, gradients, scratch, first, keys);
        }
    }
    add_rows(scratch.grad_keys, keys, width, gradients.grad_keys.row(row) + column, gradients.grad_keys.stride);
    add_rows(scratch.grad_values, keys, width, gradients.grad_values.row(row) + column, gradients.grad_values.stride);
}

// The product of an output and its gradient, which is the mean of the weights' gradients by the weights.
template <typename T>
SOFTALIGN_INLINE void mean_gradients(const FlashInput<T>& input, const FlashGradients<T>& gradients,
                                     const BackwardScratch<T>& scratch, const FlashRun& run) {
    const std::int64_t width = input.width;
    const std::int64_t whole = width / lanes * lanes;
    for (const FlashRun::Query& query : run.queries) {
        const T* output = gradients.outputs.row(query.row);
        const T* gradient = gradients.grad_outputs.row(query.row);
        for (std::int64_t head = 0; head < input.heads; ++head, output += width, gradient += width) {
            T* sums = scratch.lanes_of_heads.of_rows + head * lanes;
            std::fill_n(sums, lanes, static_cast<T>(0));
            for (std::int64_t c = 0; c < whole; c += lanes) {
                for (std::int64_t lane = 0; lane < lanes; ++lane) {
                    sums[lane] += output[c + lane] * gradient[c + lane];
                }
            }
            for (std::int64_t c = whole; c < width; ++c) {
                sums[c - whole] += output[c] * gradient[c];
            }
        }
        scratch.lanes_of_heads.sum(input.heads, scratch.of_heads);
        std::copy_n(scratch.of_heads, input.heads, scratch.means + query.row * input.heads);
    }
}

template <typename T>
SOFTALIGN_INLINE void run_back(const FlashInput<T>& input, const FlashGradients<T>& gradients,
                               const BackwardScratch<T>& scratch, const FlashRun& run) {
    mean_gradients(input, gradients, scratch, run);
    for (std::int64_t group = 0; group < input.groups; ++group) {
        for (std::int64_t first = 0; first < run.key_length; first += tile) {
            run_tile_back(input, gradients, scratch, run, group, first);
        }
    }
}

void differentiate(const FlashInput<float>& input, const FlashGradients<float>& gradients,
                   const BackwardScratch<float>& scratch, const FlashRun& run) {
    with_best_instructions([=]() SOFTALIGN_INLINE_BODY { run_back(input, gradients, scratch, run); });
}

void differentiate(const FlashInput<double>& input, const FlashGradients<double>& gradients,
                   const BackwardScratch<double>& scratch, const FlashRun& run) {
    run_back(input, gradients, scratch, run);
}

template <typename T>
void backward(const FlashInput<T>& input, const FlashGradients<T>& gradients) {
    std::int64_t queries = 0;
    for (const FlashRange& range : input.ranges) {
        queries = std::max(queries, range.query_begin + range.query_length);
    }
    const std::int64_t rows = FlashBlock<T>::most_rows(input);
    FlashScratch<T> memory(BackwardScratch<T>::size(rows, input.width, queries, input.heads));
    const BackwardScratch<T> scratch(memory, rows, input.width, queries, input.heads);
    for (std::size_t next = 0; next < input.ranges.size();) {
        differentiate(input, gradients, scratch, FlashRun::take(input.ranges, input.causal, next));
    }
}

}  // namespace

void flash_backward(const FlashInput<float>& input, const FlashGradients<float>& gradients) {
    backward(input, gradients);
}

void flash_backward(const FlashInput<double>& input, const FlashGradients<double>& gradients) {
    backward(input, gradients);
}

}  // namespace softalign
