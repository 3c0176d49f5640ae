#include "kernels/flash_attention.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "kernels/small_product.h"
#include "kernels/vector_math.h"

namespace softalign {

namespace {

// Keys of a tile, and rows (queries times the heads that share a key head) that are set against it at once. With heads
// of 64 numbers each of their matrices takes 16 KiB.
constexpr std::int64_t tile_keys = 64;
constexpr std::int64_t block_rows = 64;
// Sums and maxima are kept in so many lanes; scores are padded to multiples of it.
constexpr std::int64_t lanes = 16;

std::int64_t padded(std::int64_t count) {
    return (count + lanes - 1) / lanes * lanes;
}

// Arrays that start on cache lines, in one piece of memory.
template <typename T>
class Scratch {
public:
    explicit Scratch(std::int64_t count) : data_(new T[static_cast<std::size_t>(count + lanes)]), next_(data_.get()) {
        void* start = next_;
        std::size_t space = static_cast<std::size_t>(count + lanes) * sizeof(T);
        next_ = static_cast<T*>(std::align(lanes * sizeof(float), sizeof(T), start, space));
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

// A query of a run of sequences with the same keys.
struct Query {
    std::int64_t row;
    std::int64_t seen;  // it sees the first `seen` keys
};

// Sequences that follow one another and have the same keys, as one.
struct KeyRun {
    std::int64_t key_begin;
    std::int64_t key_length;
    std::vector<Query> queries;
};

// The run that starts at range `next`, which is moved behind it.
template <typename T>
KeyRun take_run(const FlashInput<T>& input, std::size_t& next) {
    const FlashRange& first = input.ranges[next];
    KeyRun run{first.key_begin, first.key_length, {}};
    for (; next < input.ranges.size(); ++next) {
        const FlashRange& range = input.ranges[next];
        if (range.key_begin != run.key_begin || range.key_length != run.key_length) {
            break;
        }
        for (std::int64_t t = 0; t < range.query_length; ++t) {
            const std::int64_t seen = range.key_length - (input.causal ? range.query_length - 1 - t : 0);
            run.queries.push_back({range.query_begin + t, std::max<std::int64_t>(seen, 0)});
        }
    }
    return run;
}

// Some queries of a run with the heads of one group: query i / shared, head i % shared of the group, is row i.
template <typename T>
struct Block {
    const FlashInput<T>& input;
    std::int64_t group;
    const Query* queries;
    std::int64_t count;   // queries
    std::int64_t shared;  // heads of a group

    std::int64_t rows() const { return count * shared; }
    std::int64_t seen(std::int64_t row) const { return queries[row / shared].seen; }
    // Where a matrix [Pq,h] has the row's number.
    std::int64_t place(std::int64_t row) const {
        return queries[row / shared].row * input.heads + group * shared + row % shared;
    }
    // Where the group's columns start in a matrix [Pq, h a].
    std::int64_t column() const { return group * shared * input.width; }
    std::int64_t most_seen() const {
        std::int64_t most = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            most = std::max(most, queries[i].seen);
        }
        return most;
    }
};

// Calls function(block) for each block of a run and a group.
template <typename T, typename Function>
SOFTALIGN_INLINE void for_blocks(const FlashInput<T>& input, std::int64_t group, const KeyRun& run, Function function) {
    const std::int64_t shared = input.heads / input.groups;
    const auto count = static_cast<std::int64_t>(run.queries.size());
    const std::int64_t most = std::max<std::int64_t>(block_rows / shared, 1);
    for (std::int64_t begin = 0; begin < count; begin += most) {
        function(Block<T>{input, group, run.queries.data() + begin, std::min(most, count - begin), shared});
    }
}

// Rows of a block from [Pq, h a], times a factor, one after another.
template <typename T>
SOFTALIGN_INLINE void gather(const Block<T>& block, FlashRows<const T> from, T factor, T* __restrict to) {
    const std::int64_t width = block.shared * block.input.width;
    for (std::int64_t i = 0; i < block.count; ++i) {
        const T* row = from.row(block.queries[i].row) + block.column();
        for (std::int64_t j = 0; j < width; ++j) {
            to[i * width + j] = factor * row[j];
        }
    }
}

template <typename T>
SOFTALIGN_INLINE T score_scale(const FlashInput<T>& input) {
    return static_cast<T>(1.0 / std::sqrt(static_cast<double>(input.width)));
}

// values[j] *= the dropout mask of the row with this hash, at keys first_key + j.
template <typename T>
SOFTALIGN_INLINE void drop(const FlashDropout& dropout, std::uint32_t hash, std::int64_t first_key, std::int64_t count,
                           T* __restrict values) {
    const std::uint32_t first = hash + static_cast<std::uint32_t>(first_key);
    const std::uint32_t threshold = dropout.key.threshold;
    const auto kept = static_cast<T>(dropout.kept);
    for (std::int64_t j = 0; j < count; ++j) {
        values[j] *= hash32(first + static_cast<std::uint32_t>(j)) >= threshold ? kept : static_cast<T>(0);
    }
}

template <typename T>
SOFTALIGN_INLINE T largest_of(const T* values, std::int64_t count) {
    T largest[lanes];
    std::copy_n(values, lanes, largest);
    for (std::int64_t j = lanes; j < count; j += lanes) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            largest[lane] = largest[lane] > values[j + lane] ? largest[lane] : values[j + lane];
        }
    }
    return *std::max_element(largest, largest + lanes);
}

// values become e^(values - shift); returns their sum.
template <typename T>
SOFTALIGN_INLINE T exponentials(T* values, T shift, std::int64_t count) {
    T sums[lanes] = {};
    for (std::int64_t j = 0; j < count; j += lanes) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            const T value = vector_exp(values[j + lane] - shift);
            values[j + lane] = value;
            sums[lane] += value;
        }
    }
    T total = 0;
    for (const T sum : sums) {
        total += sum;
    }
    return total;
}

// The softmax of a row so far: its weights are e^(score - largest) / sum.
template <typename T>
struct Softmax {
    T largest;
    T sum;
};

// The scores of a row against a tile become weights that are to be divided by the sum in the end; what the row has
// collected is corrected where the largest score grows.
template <typename T>
SOFTALIGN_INLINE void add_tile(T* scores, std::int64_t seen, std::int64_t count, Softmax<T>& softmax, T* collected,
                               std::int64_t width) {
    std::fill(scores + seen, scores + count, -std::numeric_limits<T>::infinity());
    const T largest = largest_of(scores, count);
    if (largest > softmax.largest) {
        const T factor = std::exp(softmax.largest - largest);
        softmax.largest = largest;
        softmax.sum *= factor;
        for (std::int64_t c = 0; c < width; ++c) {
            collected[c] *= factor;
        }
    }
    softmax.sum += exponentials(scores, softmax.largest, count);
}

template <typename T>
struct ForwardScratch {
    T* keys;       // [a,tile] transposed
    T* queries;    // [rows,a] scaled
    T* scores;     // [rows,tile]
    T* collected;  // [rows,a]
    Softmax<T>* softmax;
};

template <typename T>
SOFTALIGN_INLINE void weigh_tile(const Block<T>& block, const ForwardScratch<T>& scratch, std::int64_t first_key,
                                 std::int64_t keys) {
    const std::int64_t width = block.input.width;
    const std::int64_t count = padded(keys);
    for (std::int64_t row = 0; row < block.rows(); ++row) {
        T* scores = scratch.scores + row * tile_keys;
        const std::int64_t seen = std::min(block.seen(row) - first_key, keys);
        if (seen <= 0) {
            std::fill_n(scores, count, static_cast<T>(0));
            continue;
        }
        add_tile(scores, seen, count, scratch.softmax[row], scratch.collected + row * width, width);
        if (block.input.dropout != nullptr) {
            const auto place = static_cast<std::uint32_t>(block.place(row));
            drop(*block.input.dropout, mask_hash(block.input.dropout->key, place), first_key, count, scores);
        }
    }
}

SOFTALIGN_MULTIVERSION void weigh(const Block<float>& block, const ForwardScratch<float>& scratch,
                                  std::int64_t first_key, std::int64_t keys) {
    weigh_tile(block, scratch, first_key, keys);
}

void weigh(const Block<double>& block, const ForwardScratch<double>& scratch, std::int64_t first_key,
           std::int64_t keys) {
    weigh_tile(block, scratch, first_key, keys);
}

template <typename T>
void start_block(const Block<T>& block, const ForwardScratch<T>& scratch) {
    gather(block, block.input.queries, score_scale(block.input), scratch.queries);
    std::fill_n(scratch.collected, block.rows() * block.input.width, static_cast<T>(0));
    std::fill_n(scratch.softmax, block.rows(), Softmax<T>{-std::numeric_limits<T>::infinity(), static_cast<T>(0)});
}

template <typename T>
void end_block(const Block<T>& block, const ForwardScratch<T>& scratch, FlashRows<T> outputs, T* log_sums) {
    const std::int64_t width = block.input.width;
    for (std::int64_t row = 0; row < block.rows(); ++row) {
        const Softmax<T>& softmax = scratch.softmax[row];
        const bool sees = block.seen(row) > 0;
        const T factor = sees ? static_cast<T>(1) / softmax.sum : static_cast<T>(0);
        T* to = outputs.row(block.queries[row / block.shared].row) + block.column() + row % block.shared * width;
        for (std::int64_t c = 0; c < width; ++c) {
            to[c] = factor * scratch.collected[row * width + c];
        }
        if (log_sums != nullptr) {
            log_sums[block.place(row)] = sees ? softmax.largest + std::log(softmax.sum) : static_cast<T>(0);
        }
    }
}

// The group's columns of keys or values, from a row on.
template <typename T>
SOFTALIGN_INLINE const T* tile_of(const FlashInput<T>& input, FlashRows<const T> rows, std::int64_t row,
                                  std::int64_t group) {
    return rows.row(row) + group * input.width;
}

template <typename T>
void forward_block(const Block<T>& block, const KeyRun& run, const ForwardScratch<T>& scratch, FlashRows<T> outputs,
                   T* log_sums) {
    const FlashInput<T>& input = block.input;
    const std::int64_t width = input.width;
    start_block(block, scratch);
    const std::int64_t end = block.most_seen();
    for (std::int64_t first = 0; first < end; first += tile_keys) {
        const std::int64_t keys = std::min(tile_keys, end - first);
        const std::int64_t row = run.key_begin + first;
        transpose_small(tile_of(input, input.keys, row, block.group), input.keys.stride, keys, width, scratch.keys,
                        tile_keys);
        multiply_small(SmallProduct<T>{scratch.queries, width, 1, scratch.keys, tile_keys, scratch.scores, tile_keys,
                                       block.rows(), width, keys, false});
        weigh(block, scratch, first, keys);
        multiply_small(SmallProduct<T>{scratch.scores, tile_keys, 1, tile_of(input, input.values, row, block.group),
                                       input.values.stride, scratch.collected, width, block.rows(), keys, width, true});
    }
    end_block(block, scratch, outputs, log_sums);
}

// Rows that a block can have.
template <typename T>
std::int64_t most_rows(const FlashInput<T>& input) {
    return std::max(block_rows, input.heads / input.groups);
}

template <typename T>
void forward(const FlashInput<T>& input, FlashRows<T> outputs, T* log_sums) {
    const std::int64_t rows = most_rows(input);
    const std::int64_t of_rows = padded(rows * input.width);
    const std::int64_t of_tile = tile_keys * padded(input.width);
    Scratch<T> memory(of_tile + 2 * of_rows + rows * tile_keys);
    std::vector<Softmax<T>> softmax(static_cast<std::size_t>(rows));
    const ForwardScratch<T> scratch{memory.take(of_tile), memory.take(of_rows), memory.take(rows * tile_keys),
                                    memory.take(of_rows), softmax.data()};
    for (std::size_t next = 0; next < input.ranges.size();) {
        const KeyRun run = take_run(input, next);
        for (std::int64_t group = 0; group < input.groups; ++group) {
            for_blocks(input, group, run,
                       [&](const Block<T>& block) { forward_block(block, run, scratch, outputs, log_sums); });
        }
    }
}

template <typename T>
struct BackwardScratch {
    T* keys;          // [a,tile] transposed
    T* values;        // [a,tile] transposed
    T* grad_keys;     // [tile,a]
    T* grad_values;   // [tile,a]
    T* queries;       // [rows,a] scaled
    T* grad_outputs;  // [rows,a]
    T* grad_queries;  // [rows,a]
    T* scores;        // [rows,tile], then their gradients
    T* weights;       // [rows,tile]: gradients of the weights, then the weights
    const T* means;   // [Pq,h] the gradient of each weight in the mean over its row, sum_j w_j dw_j
};

template <typename T>
SOFTALIGN_INLINE void differentiate_tile(const Block<T>& block, const BackwardScratch<T>& scratch, const T* log_sums,
                                         std::int64_t first_key, std::int64_t keys) {
    const std::int64_t count = padded(keys);
    for (std::int64_t row = 0; row < block.rows(); ++row) {
        T* __restrict scores = scratch.scores + row * tile_keys;
        T* __restrict weights = scratch.weights + row * tile_keys;
        const std::int64_t seen = std::max<std::int64_t>(std::min(block.seen(row) - first_key, keys), 0);
        const std::int64_t place = block.place(row);
        const T log_sum = log_sums[place];
        const T mean = scratch.means[place];
        std::fill(scores + seen, scores + count, -std::numeric_limits<T>::infinity());
        std::fill(weights + seen, weights + count, static_cast<T>(0));
        T mask[tile_keys];
        std::fill_n(mask, count, static_cast<T>(1));
        if (block.input.dropout != nullptr) {
            drop(*block.input.dropout, mask_hash(block.input.dropout->key, static_cast<std::uint32_t>(place)),
                 first_key, count, mask);
        }
        for (std::int64_t j = 0; j < count; ++j) {
            const T weight = vector_exp(scores[j] - log_sum);
            scores[j] = weight * (weights[j] * mask[j] - mean);
            weights[j] = weight * mask[j];
        }
    }
}

SOFTALIGN_MULTIVERSION void differentiate(const Block<float>& block, const BackwardScratch<float>& scratch,
                                          const float* log_sums, std::int64_t first_key, std::int64_t keys) {
    differentiate_tile(block, scratch, log_sums, first_key, keys);
}

void differentiate(const Block<double>& block, const BackwardScratch<double>& scratch, const double* log_sums,
                   std::int64_t first_key, std::int64_t keys) {
    differentiate_tile(block, scratch, log_sums, first_key, keys);
}

// What a block adds to the gradients of a tile's keys and values, and of its own queries.
template <typename T>
void backward_block(const Block<T>& block, const FlashGradients<T>& gradients, const BackwardScratch<T>& scratch,
                    std::int64_t key_begin, std::int64_t first, std::int64_t keys) {
    const FlashInput<T>& input = block.input;
    const std::int64_t width = input.width;
    const std::int64_t rows = block.rows();
    const T scale = score_scale(input);
    gather(block, input.queries, scale, scratch.queries);
    gather(block, gradients.grad_outputs, static_cast<T>(1), scratch.grad_outputs);
    const auto against = [&](const T* a, const T* b, T* c) {
        multiply_small(SmallProduct<T>{a, width, 1, b, tile_keys, c, tile_keys, rows, width, keys, false});
    };
    against(scratch.queries, scratch.keys, scratch.scores);
    against(scratch.grad_outputs, scratch.values, scratch.weights);
    differentiate(block, scratch, gradients.log_sums, first, keys);
    const auto collect = [&](const T* a, const T* b, T* c) {
        multiply_small(SmallProduct<T>{a, 1, tile_keys, b, width, c, width, keys, rows, width, true});
    };
    collect(scratch.weights, scratch.grad_outputs, scratch.grad_values);
    collect(scratch.scores, scratch.queries, scratch.grad_keys);
    multiply_small(SmallProduct<T>{scratch.scores, tile_keys, 1,
                                   tile_of(input, input.keys, key_begin + first, block.group), input.keys.stride,
                                   scratch.grad_queries, width, rows, keys, width, false});
    const std::int64_t together = block.shared * width;
    for (std::int64_t i = 0; i < block.count; ++i) {
        T* to = gradients.grad_queries.row(block.queries[i].row) + block.column();
        for (std::int64_t j = 0; j < together; ++j) {
            to[j] += scale * scratch.grad_queries[i * together + j];
        }
    }
}

template <typename T>
void add_rows(const T* from, std::int64_t rows, std::int64_t width, T* to, std::int64_t stride) {
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < width; ++j) {
            to[i * stride + j] += from[i * width + j];
        }
    }
}

template <typename T>
void backward_run(const FlashInput<T>& input, const FlashGradients<T>& gradients, const BackwardScratch<T>& scratch,
                  const KeyRun& run, std::int64_t group) {
    const std::int64_t width = input.width;
    for (std::int64_t first = 0; first < run.key_length; first += tile_keys) {
        const std::int64_t keys = std::min(tile_keys, run.key_length - first);
        const std::int64_t row = run.key_begin + first;
        transpose_small(tile_of(input, input.keys, row, group), input.keys.stride, keys, width, scratch.keys,
                        tile_keys);
        transpose_small(tile_of(input, input.values, row, group), input.values.stride, keys, width, scratch.values,
                        tile_keys);
        std::fill_n(scratch.grad_keys, keys * width, static_cast<T>(0));
        std::fill_n(scratch.grad_values, keys * width, static_cast<T>(0));
        for_blocks(input, group, run, [&](const Block<T>& block) {
            if (block.most_seen() > first) {
                backward_block(block, gradients, scratch, run.key_begin, first, keys);
            }
        });
        add_rows(scratch.grad_keys, keys, width, gradients.grad_keys.row(row) + group * width,
                 gradients.grad_keys.stride);
        add_rows(scratch.grad_values, keys, width, gradients.grad_values.row(row) + group * width,
                 gradients.grad_values.stride);
    }
}

// sum_j w_j dw_j of each query and head, which is the product of its output and the output's gradient.
template <typename T>
std::vector<T> weighted_means(const FlashInput<T>& input, const FlashGradients<T>& gradients) {
    std::int64_t rows = 0;
    for (const FlashRange& range : input.ranges) {
        rows = std::max(rows, range.query_begin + range.query_length);
    }
    std::vector<T> means(static_cast<std::size_t>(rows * input.heads));
    for (const FlashRange& range : input.ranges) {
        for (std::int64_t row = range.query_begin; row < range.query_begin + range.query_length; ++row) {
            const T* output = gradients.outputs.row(row);
            const T* gradient = gradients.grad_outputs.row(row);
            for (std::int64_t head = 0; head < input.heads; ++head) {
                T sum = 0;
                for (std::int64_t c = head * input.width; c < (head + 1) * input.width; ++c) {
                    sum += output[c] * gradient[c];
                }
                means[static_cast<std::size_t>(row * input.heads + head)] = sum;
            }
        }
    }
    return means;
}

template <typename T>
void backward(const FlashInput<T>& input, const FlashGradients<T>& gradients) {
    const std::int64_t rows = most_rows(input);
    const std::int64_t of_rows = padded(rows * input.width);
    const std::int64_t of_tile = tile_keys * padded(input.width);
    const std::int64_t of_scores = rows * tile_keys;
    Scratch<T> memory(4 * of_tile + 3 * of_rows + 2 * of_scores);
    const std::vector<T> means = weighted_means(input, gradients);
    const BackwardScratch<T> scratch{memory.take(of_tile), memory.take(of_tile),   memory.take(of_tile),
                                     memory.take(of_tile), memory.take(of_rows),   memory.take(of_rows),
                                     memory.take(of_rows), memory.take(of_scores), memory.take(of_scores),
                                     means.data()};
    for (std::size_t next = 0; next < input.ranges.size();) {
        const KeyRun run = take_run(input, next);
        for (std::int64_t group = 0; group < input.groups; ++group) {
            backward_run(input, gradients, scratch, run, group);
        }
    }
}

}  // namespace

void flash_forward(const FlashInput<float>& input, FlashRows<float> outputs, float* log_sums) {
    forward(input, outputs, log_sums);
}

void flash_forward(const FlashInput<double>& input, FlashRows<double> outputs, double* log_sums) {
    forward(input, outputs, log_sums);
}

void flash_backward(const FlashInput<float>& input, const FlashGradients<float>& gradients) {
    backward(input, gradients);
}

void flash_backward(const FlashInput<double>& input, const FlashGradients<double>& gradients) {
    backward(input, gradients);
}

}  // namespace softalign
