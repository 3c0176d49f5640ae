#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

namespace softalign {

// The true tokens of a batch of B sentences without its padding, step after step: at step t the sentences that have
// more than t tokens, the longest sentence first. So the rows of a step are the first ones of the step before, and
// nothing is computed for padding. P = the number of true tokens.
struct PackedRows {
    std::vector<std::int64_t> order;    // [B] row i of every step is sentence order[i]; ties keep the batch's order
    std::vector<std::int64_t> lengths;  // [B] of sentence order[i]: descending
    std::vector<std::int64_t> counts;   // [T] rows of step t: falling
    std::vector<std::int64_t> offsets;  // [T] of them the first in the packed [P]
    std::int64_t total = 0;             // P
    std::int64_t width = 0;             // S of the rectangle
    at::Tensor places;                  // [P] int64: where each token stands in the rectangle [B,S], as b * S + s

    std::int64_t steps() const { return static_cast<std::int64_t>(counts.size()); }
    std::int64_t sentences() const { return static_cast<std::int64_t>(order.size()); }

    // For each sentence of the batch its row i: [B] int64 on the device of places.
    at::Tensor rows_of_sentences() const;
};

enum class Reading { forwards, backwards };

// mask [B,S] bool, true = token; in every row the tokens come first, one at least. backwards: the words of each
// sentence from the last to the first, the end of sentence last all the same.
PackedRows pack_rows(const at::Tensor& mask, Reading reading = Reading::forwards);

// x [P,D] -> [B,S,D] with zeros at padding. Differentiable.
at::Tensor unpack(const at::Tensor& x, const PackedRows& rows);

// x [B,S] or [B,S,D] -> [P] or [P,D]. Differentiable.
at::Tensor pack(const at::Tensor& x, const PackedRows& rows);

}  // namespace softalign
