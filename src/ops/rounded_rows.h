#pragma once

#include <ATen/ATen.h>

#include "ops/execution.h"

namespace softalign {

// A matrix whose rows are int8 numbers, each with the scale of its row, as kernels/int8.h rounds them.
struct RoundedRows {
    at::Tensor numbers;  // [N,K] int8
    at::Tensor scales;   // [N] float32
};

// REQUIRES: matrix [N,K] float32 on the CPU.
RoundedRows round_rows(const at::Tensor& matrix);

// numbers * scales [N,K] float32: exact, and rounded to the same numbers and scales again. A product with the result in
// int8 therefore has the bits of a product with the matrix that was rounded.
at::Tensor restored(const RoundedRows& rows);

// With Precision::int8 `values` [...,E] with its rows rounded; else `values` itself.
at::Tensor rounded_as(const Execution& execution, const at::Tensor& values);

}  // namespace softalign
