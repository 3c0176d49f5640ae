#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softalign {

// The best entries of each row of a step, on the CPU. Plain row-major arrays.
struct TopK {
    std::int64_t rows = 0;             // N
    std::int64_t k = 0;                // at most V
    std::vector<float> values;         // [N,k], best first; equal values by token id
    std::vector<std::int32_t> tokens;  // [N,k]
    std::vector<float> eos;            // [N]: the value of the token `eos`, among the best or not

    float value(std::int64_t row, std::int64_t rank) const { return values[index(row, rank)]; }
    std::int32_t token(std::int64_t row, std::int64_t rank) const { return tokens[index(row, rank)]; }

private:
    std::size_t index(std::int64_t row, std::int64_t rank) const { return static_cast<std::size_t>(row * k + rank); }
};

// Whether top_k() takes these: [rows,V] float32, 0 <= eos < V.
bool fits_top_k(const at::Tensor& log_probs, std::int64_t rows, std::int64_t eos);

// log_probs [N,V] float32 on any device, 0 <= eos < V; k is cut to V. A NaN counts as the best value of its row, so
// that it cannot go unseen. On the CPU one pass over the row that looks closer only at blocks with a value above the
// current k-th best; elsewhere at::topk and one transfer. Where values tie for the last place, the CPU takes the
// smaller token id and another device either.
void top_k(const at::Tensor& log_probs, std::int64_t k, std::int64_t eos, TopK& out);

// Both implementations, for tests.
void top_k_by_scan(const at::Tensor& log_probs, std::int64_t k, std::int64_t eos, TopK& out);
void top_k_by_operator(const at::Tensor& log_probs, std::int64_t k, std::int64_t eos, TopK& out);

}  // namespace softalign
