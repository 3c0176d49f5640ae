#pragma once

#include <ATen/ATen.h>

#include "ops/execution.h"
#include "ops/packed_rows.h"

namespace softalign {

// The elementwise part of a GRU step. projected [N,3H] = W x + b, recurrent [N,3H] = U h + d, hidden [N,H]; gates in
// the order r, z, n:
//   r = sigma(projected_r + recurrent_r), z = sigma(projected_z + recurrent_z),
//   n = tanh(projected_n + r * recurrent_n), h' = (1 - z) * n + z * h.
// Returns h' [N,H]. The forward and the backward pass are written by hand where has_fused_form(); elsewhere the
// plain form is used.
at::Tensor gru_gates(const at::Tensor& projected, const at::Tensor& recurrent, const at::Tensor& hidden);

// The same with ATen's differentiable operations: the reference against which tests check the fast form.
at::Tensor gru_gates_plain(const at::Tensor& projected, const at::Tensor& recurrent, const at::Tensor& hidden);

// The output of one direction of a recurrent layer for a batch.
struct SequenceStates {
    at::Tensor states;  // [P,H], packed like the input
    at::Tensor last;  // [B,H] the last state of row i: after its last token, or after its first when reading backwards
};

// A GRU over the packed steps of a batch, starting from zeros. The forward and the backward pass are written by hand;
// each weight's gradient is one product over all steps. projected [P,3H] = W x + b; weight [3H,H] U; bias [3H] d; mask
// [B,H], in the order of the rows, multiplies the state that enters U; undefined = none. REQUIRES:
// has_fused_form(projected).
SequenceStates gru_sequence(const at::Tensor& projected, const at::Tensor& weight, const at::Tensor& bias,
                            const at::Tensor& mask, const PackedRows& rows, Reading direction,
                            const Execution& execution);

}  // namespace softalign
