#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

namespace softalign {

// The true tokens of a batch of B sentences without padding, step by step. Step t has one row for each sentence with
// more than t tokens, the longest sentence first. So the rows of a step are the first rows of the step before, and
// nothing is computed for padding. P = the number of true tokens.
struct PackedRows {
    std::vector<std::int64_t> order;    // [B] row i of every step is sentence order[i]; ties keep the batch's order
    std::vector<std::int64_t> lengths;  // [B] of sentence order[i]: descending
    std::vector<std::int64_t> counts;   // [T] number of rows of step t: never increasing
    std::vector<std::int64_t> offsets;  // [T] index in [P] of the first row of step t
    std::int64_t total = 0;             // P
    std::int64_t width = 0;             // S of the rectangle
    at::Tensor places;                  // [P] int64: position of each token in the rectangle [B,S], as b * S + s

    std::int64_t steps() const { return static_cast<std::int64_t>(counts.size()); }
    std::int64_t sentences() const { return static_cast<std::int64_t>(order.size()); }

    // The row i of each sentence of the batch: [B] int64 on the device of `places`.
    at::Tensor rows_of_sentences() const;
};

enum class Reading { forwards, backwards };

// The lengths [B] of the sentences, each at least 1, in a rectangle of `width` columns; `places` will be on `device`.
// backwards: the words of each sentence from last to first, with the end of sentence still last.
PackedRows pack_rows(const std::vector<std::int64_t>& lengths, std::int64_t width, const at::Device& device,
                     Reading reading = Reading::forwards);

// x [P,D] -> [B,S,D] with zeros at padding. Differentiable.
at::Tensor unpack(const at::Tensor& x, const PackedRows& rows);

// x [B,S] or [B,S,D] -> [P] or [P,D]. Differentiable.
at::Tensor pack(const at::Tensor& x, const PackedRows& rows);

// The true tokens of a batch one sentence after another: what layers without recurrence work on.
struct SentenceRows {
    std::vector<std::int64_t> begins;   // [B] index in [P] of the first token of each sentence
    std::vector<std::int64_t> lengths;  // [B]
    std::int64_t total = 0;             // P
    std::int64_t width = 0;             // S of the rectangle
    at::Tensor places;                  // [P] int64: position of each token in the rectangle [B,S], as b * S + s
    at::Tensor positions;               // [P] int64: s

    std::int64_t sentences() const { return static_cast<std::int64_t>(lengths.size()); }
};

SentenceRows sentence_rows(const std::vector<std::int64_t>& lengths, std::int64_t width, const at::Device& device);

// As for PackedRows.
at::Tensor unpack(const at::Tensor& x, const SentenceRows& rows);
at::Tensor pack(const at::Tensor& x, const SentenceRows& rows);

// Between the two orders of one batch: x [P,D], differentiable. REQUIRES: rows that read forwards.
at::Tensor by_sentences(const at::Tensor& x, const PackedRows& from, const SentenceRows& to);
at::Tensor by_steps(const at::Tensor& x, const SentenceRows& from, const PackedRows& to);

// For each row, the positions that reverse its words and leave the end of sentence and the padding in place; its own
// inverse. lengths [B] -> [B,width] int64.
at::Tensor reversed_order(const std::vector<std::int64_t>& lengths, std::int64_t width, const at::Device& device);

// Where the tokens are: lengths [B] -> [B,width] bool, true = token.
at::Tensor token_mask(const std::vector<std::int64_t>& lengths, std::int64_t width, const at::Device& device);

// The lengths as numbers to compute with: [B] -> [B,1].
at::Tensor length_column(const std::vector<std::int64_t>& lengths, const at::TensorOptions& options);

// Selects the rows `rows` [M] int64 of a tensor, in that order; an undefined tensor stays undefined.
inline at::Tensor select_rows(const at::Tensor& x, const at::Tensor& rows) {
    return x.defined() ? x.index_select(0, rows) : x;
}

// A view of the first `count` rows; likewise.
inline at::Tensor first_rows(const at::Tensor& x, std::int64_t count) {
    return x.defined() ? x.narrow(0, 0, count) : x;
}

// select_rows() of lengths; rows on the host.
std::vector<std::int64_t> select_rows(const std::vector<std::int64_t>& lengths, const at::Tensor& rows);

}  // namespace softalign
