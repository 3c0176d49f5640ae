#pragma once

#include <ATen/ATen.h>

#include "model/packed_rows.h"

namespace softalign {

// The output of one direction of a recurrent layer for a batch.
struct SequenceStates {
    at::Tensor states;  // [P,H], packed like the input
    at::Tensor last;  // [B,H] the last state of row i: after its last token, or after its first when reading backwards
};

// A GRU (LibTorch's unit; model/recurrent.h) over the packed steps of a batch, starting from zeros. The forward and the
// backward pass are written by hand; each weight's gradient is one product over all steps. CPU, float32 and float64.
// projected [P,3H] = W x + b; weight [3H,H] U; bias [3H] d; mask [B,H], in the order of the rows, multiplies the state
// that enters U; undefined = none.
SequenceStates gru_sequence(const at::Tensor& projected, const at::Tensor& weight, const at::Tensor& bias,
                            const at::Tensor& mask, const PackedRows& rows, Reading direction);

// The same, step by step with ATen's differentiable operations: the reference against which tests check the fast form.
SequenceStates gru_sequence_plain(const at::Tensor& projected, const at::Tensor& weight, const at::Tensor& bias,
                                  const at::Tensor& mask, const PackedRows& rows, Reading direction);

}  // namespace softalign
