#pragma once

#include <ATen/ATen.h>

namespace softalign {

// Selects the rows `rows` [M] int64 of a tensor, in that order; an undefined tensor stays undefined.
inline at::Tensor select_rows(const at::Tensor& x, const at::Tensor& rows) {
    return x.defined() ? x.index_select(0, rows) : x;
}

}  // namespace softalign
