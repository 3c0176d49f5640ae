#pragma once

#include <cstdint>
#include <vector>

#include "base/grid.h"

namespace softalign {

// What a source has in place of a sentence if it is no text: a vector of D numbers for each position of a grid, such as
// the pixels of a picture, or annotations that another network computed. A sequence is a grid of one row.
struct Features {
    Grid grid;
    std::int64_t depth = 0;     // D
    std::vector<float> values;  // [positions, D]; empty where the source is text
};

// Two pieces of a sentence pair, both from 0, of which one is the translation of the other.
struct PieceLink {
    std::int32_t source = 0;
    std::int32_t target = 0;
};

// One sentence pair as ids, without bos and eos.
struct Example {
    std::int64_t id = 0;  // 0-based index among the kept pairs of the corpus
    std::vector<std::int32_t> source;
    std::vector<std::int32_t> target;
    Features features{};                 // the source if it is no text; `source` is empty then
    std::vector<PieceLink> alignment{};  // each link once
};

// Sentence pairs padded to rectangles, as plain row-major arrays (no tensors here; model/ wraps them).
//   source      [B,S]: pieces and eos, then pad
//   target_in   [B,T]: bos, pieces, then pad
//   target_out  [B,T]: pieces, eos, then pad
//   features    [B,S,D]: positions, then zeros; in place of `source`, which is empty then
// Lengths count the true tokens of a row, eos (or bos) included: row b of source has source_lengths[b] >= 1 of them,
// row b of target_in and target_out target_lengths[b] >= 1. Those of features are the positions of the grids.
struct Batch {
    std::int64_t sentences = 0;     // B
    std::int64_t source_width = 0;  // S
    std::int64_t target_width = 0;  // T
    std::vector<std::int64_t> source;
    std::int64_t depth = 0;  // D; 0 where the source is text
    std::vector<float> features;
    std::vector<Grid> grids;  // [B]; empty where the source is text
    std::vector<std::int64_t> target_in;
    std::vector<std::int64_t> target_out;
    std::vector<std::int64_t> source_lengths;        // [B]
    std::vector<std::int64_t> target_lengths;        // [B]
    std::vector<std::int64_t> ids;                   // [B], Example::id
    std::vector<std::vector<PieceLink>> alignments;  // [B]; empty where no sentence has any

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

// Pads the examples into one batch, in the order given. REQUIRES: all have text or all have features, of one depth.
Batch make_batch(const std::vector<Example>& examples, const SpecialIdPair& special);

// Where the parts end if a batch is split into at most `count` of consecutive rows with about equal work, padding not
// counted. Depends only on the batch and `count`. If there are fewer sentences than `count`, there are fewer parts.
std::vector<std::int64_t> part_ends(const Batch& batch, std::int64_t count);

// Rows [begin, end) of a batch, without the columns that are padding in all of them.
Batch rows_of(const Batch& batch, std::int64_t begin, std::int64_t end, const SpecialIdPair& special);

// The parts that part_ends() describes.
std::vector<Batch> cut_batch(const Batch& batch, std::int64_t count, const SpecialIdPair& special);

}  // namespace softalign
