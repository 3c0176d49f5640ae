#pragma once

#include <cstdint>

namespace softalign {

// Four int8 numbers, the first in the lowest byte: four terms of a sum.
using Int8Quad = std::int32_t;
constexpr std::int64_t quad_terms = 4;

// Rounds a row of numbers to int8 with one scale for the row: q[i] is the integer nearest to x[i] / scale, ties to
// even, from -127 to 127. The scale is the smallest number of 16 significant bits that allows this, so that products
// scale * q are exact in float32, and rounding them again gives the same q and the same scale. Returns the scale: 0,
// with q = 0, if all numbers are below 1e-30; NaN, with q = 0, if one of them is infinite or NaN. The results are the
// same bits on every processor.
float quantize_row(const float* x, std::int64_t count, std::int8_t* q);

// The sum of the numbers of a row.
std::int32_t sum_of_row(const std::int8_t* q, std::int64_t count);

}  // namespace softalign
