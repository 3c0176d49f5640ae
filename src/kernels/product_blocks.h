#pragma once

#include <cstdint>

#include "kernels/bfloat16.h"

namespace softalign {

// The innermost loops of a product c = start + a b (kernels/packed_matrix.h), for each instruction set. A unit is what
// one instruction takes from a row of a and a row of b: a float, or a pair of bfloat16, which is two terms.

// Columns of b that are processed at once.
constexpr std::int64_t panel_width = 48;

// Rows of a that are interleaved when a is laid out by units: element (row, unit) is a[unit * 8 + row].
constexpr std::int64_t rows_side_by_side = 8;

// How a block of rows of a is laid out in memory.
enum class Rows { one_after_another, side_by_side };

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
};

template <typename Unit>
using ProductKernel = void (*)(const ProductBlock<Unit>&);

// The kernels of one instruction set: of_rows[r] is for r + 1 rows.
template <typename Unit>
struct ProductKernels {
    const ProductKernel<Unit>* of_rows;
    std::int64_t most_rows;
};

// The fastest kernels for this processor. Unit is float or Bfloat16Pair.
template <typename Unit>
const ProductKernels<Unit>& product_kernels(Rows rows);

}  // namespace softalign
