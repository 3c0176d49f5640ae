#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "ops/packed_rows.h"
#include "ops/recurrent.h"

namespace softalign {

// A recurrent layer over the packed steps of a batch by LibTorch's own operation, which on CUDA is cuDNN's: all steps
// of both directions in one call. For units with exactly the equations of `gru` or `lstm` (model/recurrent/cell.h).
struct LibraryLayer {
    bool is_lstm = false;
    // W [G*H,I], U [G*H,H], b [G*H], d [G*H] of the forward direction, then those of the backward one, if there is one.
    std::vector<at::Tensor> weights;
    UnitState start;  // [B,H], in the order of the rows; undefined = zeros. REQUIRES: one direction where defined.
};

struct LibraryStates {
    at::Tensor states;  // [P,H], or [P,2H] of both directions side by side; packed like the input
    // [1,B,H] or [2,B,H], in the order of the rows: after the last token, and, backwards, after the first.
    at::Tensor hidden;
    at::Tensor cell;  // likewise, of an LSTM
};

// Whether the functions below are the fast form for tensors of this device: elsewhere than on the CPU, where a step by
// LibTorch is slower than one of this folder.
bool has_library_form(const at::Tensor& x);

// The elementwise part of a step of the GRU (gru_gates()) and of the LSTM, as one operation of LibTorch each, and one
// backwards: projected, recurrent [N,G*H], the state before the step -> the state after it. Differentiable.
at::Tensor library_gru_gates(const at::Tensor& projected, const at::Tensor& recurrent, const at::Tensor& hidden);
UnitState library_lstm_gates(const at::Tensor& projected, const at::Tensor& recurrent, const at::Tensor& cell);

// inputs [P,I]. Differentiable.
LibraryStates run_library_layer(const LibraryLayer& layer, const at::Tensor& inputs, const PackedRows& rows);

}  // namespace softalign
