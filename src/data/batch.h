#pragma once

#include <cstdint>
#include <vector>

namespace softalign {

// One sentence pair as ids, without bos and eos.
struct Example {
    std::int64_t id = 0;  // 0-based index among the kept pairs of the corpus
    std::vector<std::int32_t> source;
    std::vector<std::int32_t> target;
};

// Sentence pairs padded to rectangles, as plain row-major arrays (no tensors here; model/ wraps them).
//   source      [B,S]: pieces and eos, then pad
//   target_in   [B,T]: bos, pieces, then pad
//   target_out  [B,T]: pieces, eos, then pad
// Lengths count the true tokens of a row, eos (or bos) included: row b of source has source_lengths[b] >= 1 of them,
// row b of target_in and target_out target_lengths[b] >= 1.
struct Batch {
    std::int64_t sentences = 0;     // B
    std::int64_t source_width = 0;  // S
    std::int64_t target_width = 0;  // T
    std::vector<std::int64_t> source;
    std::vector<std::int64_t> target_in;
    std::vector<std::int64_t> target_out;
    std::vector<std::int64_t> source_lengths;  // [B]
    std::vector<std::int64_t> target_lengths;  // [B]
    std::vector<std::int64_t> ids;             // [B], Example::id

    std::int64_t source_tokens() const;  // sum of source_lengths
    std::int64_t target_tokens() const;  // sum of target_lengths, eos included
};

struct SpecialIdPair {
    std::int32_t source_pad = 0;
    std::int32_t source_eos = 3;
    std::int32_t target_pad = 0;
    std::int32_t target_bos = 2;
    std::int32_t target_eos = 3;
};

// Pads the examples into one batch, in the order given.
Batch make_batch(const std::vector<Example>& examples, const SpecialIdPair& special);

// Splits a batch into at most `count` batches of consecutive rows with about equal work, padding not counted, each
// trimmed to its own longest rows. Depends only on the batch and `count`. If there are fewer sentences than `count`,
// there are fewer parts.
std::vector<Batch> cut_batch(const Batch& batch, std::int64_t count, const SpecialIdPair& special);

}  // namespace softalign
