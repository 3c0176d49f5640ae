#pragma once

#include <ATen/ATen.h>

#include "model/packed_rows.h"

namespace softalign {

// What one direction of a recurrent layer makes of a batch.
struct SequenceStates {
    at::Tensor states;  // [P,H], packed as the input
    at::Tensor last;    // [B,H] the last state of row i: after its last token, or backwards after its first one
};

// A GRU (LibTorch's unit; model/recurrent.h) over the packed steps of a batch, from zeros: one pass forward, one
// backward, by hand, with the gradients of the weights as one product over all steps. CPU, float32 and float64.
// projected [P,3H] = W x + b; weight [3H,H] U; bias [3H] d; mask [B,H] multiplies the state that enters U, in the order
// of the rows, undefined = none.
SequenceStates gru_sequence(const at::Tensor& projected, const at::Tensor& weight, const at::Tensor& bias,
                            const at::Tensor& mask, const PackedRows& rows, Reading direction);

// The same step by step in ATen's differentiable operations: the reference that tests hold the fast form to.
SequenceStates gru_sequence_plain(const at::Tensor& projected, const at::Tensor& weight, const at::Tensor& bias,
                                  const at::Tensor& mask, const PackedRows& rows, Reading direction);

}  // namespace softalign
