#pragma once

#include <cstdint>
#include <vector>

#include "kernels/hashed_mask.h"

namespace softalign {

// Attention with heads whose weights are never stored (Dao et al. 2022, FlashAttention; Dao 2023, FlashAttention-2):
// keys are read in tiles that stay in the cache, the softmax is corrected as each tile adds to it, and the backward
// pass computes the weights again from the logarithm of each softmax's denominator. Beside inputs and results, memory
// is a few tiles, whatever the lengths.

// Rows of a matrix, `stride` apart, each contiguous.
template <typename T>
struct FlashRows {
    T* data;
    std::int64_t stride;

    T* row(std::int64_t i) const { return data + i * stride; }
};

// The rows of queries, and those of keys and values, that one sequence has. Query ranges do not overlap; a key range
// may belong to several sequences, and is packed once for those that follow one another.
struct FlashRange {
    std::int64_t query_begin;
    std::int64_t query_length;
    std::int64_t key_begin;
    std::int64_t key_length;
};

// Dropout of the weights: element (query row, head, s) is a function of these numbers and the key, not of a tile.
struct FlashDropout {
    MaskKey key;
    double kept;  // 1 / (1 - p), what the elements that stay are multiplied by
};

template <typename T>
struct FlashInput {
    FlashRows<const T> queries;   // [Pq, h a]
    FlashRows<const T> keys;      // [Pk, g a]
    FlashRows<const T> values;    // [Pk, g a]
    std::int64_t heads;           // h
    std::int64_t groups;          // g, divides h: head i reads key and value head floor(i / (h / g))
    std::int64_t width;           // a
    bool causal;                  // query t of a sequence sees keys 0 .. t + key_length - query_length
    const FlashDropout* dropout;  // null: none
    const std::vector<FlashRange>& ranges;
};

// outputs [Pq, h a]: softmax(q K' / sqrt(a)) V of each head; zeros for a query that sees no key. log_sums [Pq, h]
// contiguous: the logarithm of each softmax's denominator; null: not wanted. Rows in no range stay as they are. A row's
// result depends on its own query, keys and values only, bit for bit, not on the other queries that are given.
void flash_forward(const FlashInput<float>& input, FlashRows<float> outputs, float* log_sums);
void flash_forward(const FlashInput<double>& input, FlashRows<double> outputs, double* log_sums);

// means [Pq,·] += the weights' mean over the heads, for row t and key s of its sequence at [t,s]. The input has no
// dropout; its values are not read.
void flash_weights(const FlashInput<float>& input, FlashRows<float> means);
void flash_weights(const FlashInput<double>& input, FlashRows<double> means);

// What the backward pass reads besides the input, and what it adds to.
template <typename T>
struct FlashGradients {
    FlashRows<const T> outputs;       // of the forward pass
    const T* log_sums;                // of the forward pass
    FlashRows<const T> grad_outputs;  // [Pq, h a]
    FlashRows<T> grad_queries;        // [Pq, h a]
    FlashRows<T> grad_keys;           // [Pk, g a]
    FlashRows<T> grad_values;         // [Pk, g a]
};

// Sums run in one order, which the ranges determine.
void flash_backward(const FlashInput<float>& input, const FlashGradients<float>& gradients);
void flash_backward(const FlashInput<double>& input, const FlashGradients<double>& gradients);

}  // namespace softalign
