#pragma once

#include <ATen/ATen.h>

namespace softalign {

// Rows of a part of a state or a memory, in the order of `rows` [M] int64; an undefined part stays undefined.
inline at::Tensor select_rows(const at::Tensor& x, const at::Tensor& rows) {
    return x.defined() ? x.index_select(0, rows) : x;
}

}  // namespace softalign
