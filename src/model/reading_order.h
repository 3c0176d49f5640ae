#pragma once

#include <ATen/ATen.h>

namespace softalign {

// For each row, the positions that reverse its words and leave the end of sentence and the padding in place; its own
// inverse. mask [B,S] bool, true = token -> [B,S] int64.
inline at::Tensor reversed_order(const at::Tensor& mask) {
    const at::Tensor places = at::arange(mask.size(1), mask.options().dtype(at::kLong)).unsqueeze(0);
    const at::Tensor words = mask.sum(1, true) - 1;
    return at::where(places.lt(words), words - 1 - places, places.expand(mask.sizes()));
}

}  // namespace softalign
