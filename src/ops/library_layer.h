#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "ops/packed_rows.h"

namespace softalign {

// A recurrent layer over the packed steps of a batch by LibTorch's own operation, which on CUDA is cuDNN's: all steps
// of both directions in one call. For units with exactly the equations of `gru` or `lstm` (model/recurrent/cell.h).
struct LibraryLayer {
    bool is_lstm = false;
    // W [G*H,I], U [G*H,H], b [G*H], d [G*H] of the forward direction, then those of the backward one, if there is one.
    std::vector<at::Tensor> weights;
};

struct LibraryStates {
    at::Tensor states;  // [P,H], or [P,2H] of both directions side by side; packed like the input
    // [1,B,H] or [2,B,H], in the order of the rows: after the last token, and, backwards, after the first.
    at::Tensor hidden;
    at::Tensor cell;  // likewise, of an LSTM
};

// Whether run_library_layer() is the fast form for tensors of this device: elsewhere than on the CPU, where a step by
// LibTorch is slower than one of this folder.
bool has_library_form(const at::Tensor& x);

// inputs [P,I]; starts from zeros. Differentiable.
LibraryStates run_library_layer(const LibraryLayer& layer, const at::Tensor& inputs, const PackedRows& rows);

}  // namespace softalign
