#pragma once

#include <cstdint>

#include "kernels/bfloat16.h"
#include "kernels/int8.h"

namespace softalign {

// The innermost loops of a product c = start + a b (kernels/packed_matrix.h), for each instruction set. A unit is what
// one instruction takes from a row of a and a row of b: a float, a pair of bfloat16, which is two terms, or four int8.

// Columns of b that are processed at once.
constexpr std::int64_t panel_width = 48;

// Rows of a that are interleaved when a is laid out by units: element (row, unit) is a[unit * 8 + row].
constexpr std::int64_t rows_side_by_side = 8;

// How a block of rows of a is laid out in memory.
enum class Rows { one_after_another, side_by_side };

// What brings sums of products of integers back to their size; nothing for other units.
template <typename Unit>
struct Scales {};

template <>
struct Scales<Int8Quad> {
    const float* of_rows;          // of the rows of a
    const float* of_columns;       // [48], of b
    const std::int32_t* row_sums;  // of the integers of each row of a: the bytes of b hold its integers plus 128
};

// One block of the product: a few rows of c, `columns` <= 48 columns, `units` units.
template <typename Unit>
struct ProductBlock {
    const Unit* a;
    std::int64_t a_stride;  // for rows one after another
    const Unit* b;          // [units,48], aligned to a cache line
    std::int64_t units;
    float* c;
    std::int64_t c_stride;
    std::int64_t columns;
    const float* start;  // what the sums of row r start from: start + r * start_stride; null = zero
    std::int64_t start_stride;
    Scales<Unit> scales{};
};

template <typename Unit>
using ProductKernel = void (*)(const ProductBlock<Unit>&);

// The kernels of one instruction set: of_rows[r] is for r + 1 rows.
template <typename Unit>
struct ProductKernels {
    const ProductKernel<Unit>* of_rows;
    std::int64_t most_rows;
    // Whether they are called within a TileScope (kernels/tiles.h), and read 16 rows of a in any case, whatever they
    // are.
    bool by_tiles = false;
};

// The fastest kernels for this processor. Unit is float, Bfloat16Pair or Int8Quad, the last for rows one after another
// only, as are kernels by tiles: with rows side by side, the others are used. Sums of integers are exact, and those
// kernels give the same bits on every processor.
template <typename Unit>
const ProductKernels<Unit>& product_kernels(Rows rows);

template <>
const ProductKernels<Int8Quad>& product_kernels(Rows rows);

}  // namespace softalign
