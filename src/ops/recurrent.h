#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "ops/execution.h"
#include "ops/packed_rows.h"

namespace softalign {

// The elementwise part of a GRU step. projected [N,3H] = W x + b, recurrent [N,3H] = U h + d, hidden [N,H]; gates in
// the order r, z, n:
//   r = sigma(projected_r + recurrent_r), z = sigma(projected_z + recurrent_z),
//   n = tanh(projected_n + r * recurrent_n), h' = (1 - z) * n + z * h.
// Returns h' [N,H]. The forward and the backward pass are written by hand where has_fused_form(); on devices they are
// LibTorch's (ops/library_layer.h).
at::Tensor gru_gates(const at::Tensor& projected, const at::Tensor& recurrent, const at::Tensor& hidden);

// The same with ATen's differentiable operations: the reference against which tests check the fast form.
at::Tensor gru_gates_plain(const at::Tensor& projected, const at::Tensor& recurrent, const at::Tensor& hidden);

// The units of model/recurrent/cell.h, which has their equations.
enum class UnitType { gru, gru_cho, lstm };

struct UnitState {
    at::Tensor hidden;  // [N,H]
    at::Tensor cell;    // [N,H], LSTM only
};

// A layer normalisation (kernels/layer_norm.h); undefined = none.
struct NormWeights {
    at::Tensor gain;   // [K]
    at::Tensor shift;  // [K]
};

// What a unit applies to its state. G = 4 gates for the LSTM, 3 for the others.
struct UnitWeights {
    at::Tensor weight;  // [G*H,H] U
    at::Tensor bias;    // [G*H] d; undefined for gru_cho and with a norm, which have none
    at::Tensor mask;    // [N,H] multiplies the state that enters U; undefined = none
    NormWeights norm;   // of U h; the GRU's only
};

// A state as it enters U; an undefined mask = none.
inline at::Tensor masked(const at::Tensor& hidden, const at::Tensor& mask) {
    return mask.defined() ? hidden * mask : hidden;
}

// One step from projected [N,G*H] = W x + b. REQUIRES: no norm. The forward and the backward pass are written by hand
// where has_fused_form(); elsewhere they are those of library operations and of the plain form.
UnitState unit_step(UnitType type, const at::Tensor& projected, const UnitWeights& weights, const UnitState& state,
                    const Execution& execution);

// The same with ATen's differentiable operations, for every unit: the reference against which tests check the fast
// forms.
UnitState unit_step_plain(UnitType type, const at::Tensor& projected, const UnitWeights& weights,
                          const UnitState& state, const Execution& execution);

// The output of one direction of a recurrent layer for a batch.
struct SequenceStates {
    at::Tensor states;  // [P,H], packed like the input
    UnitState last;  // [B,H] the last state of row i: after its last token, or after its first when reading backwards
};

// What a unit reads over the packed steps of a batch; mask and start in the order of the rows.
struct UnitSequence {
    UnitType type = UnitType::gru;
    at::Tensor projected;  // [P,G*H] W x + b
    UnitWeights weights;   // with a mask [B,H]
    UnitState start;       // [B,H]; undefined = zeros
};

// The forward and the backward pass are written by hand; each weight's gradient is one product over all steps.
// REQUIRES: has_fused_form(sequence.projected).
SequenceStates unit_sequence(const UnitSequence& sequence, const PackedRows& rows, Reading direction,
                             const Execution& execution);

// Inputs and weights of a recurrent decoder with additive attention (model/recurrent/decoder.h, attend: before or
// between).
struct AdditiveDecoder {
    UnitType type = UnitType::gru;
    at::Tensor projected;                      // [P,G*H] W E y_{i-1} + b of the true words, packed; of f or f1
    at::Tensor keys;                           // [B,S,A] U_a h_j
    at::Tensor values;                         // [B,S,C] h_j
    UnitState start;                           // [B,H] s_0
    at::Tensor query;                          // [A,H] W_a
    at::Tensor score;                          // [1,A] v_a
    at::Tensor context;                        // [G*H,C] C of f or f2
    at::Tensor bias;                           // [G*H] b of f2; undefined without f1 and with a norm
    NormWeights norm;                          // of C c_i
    UnitWeights first;                         // of f1, with the mask of f2; undefined = attend: before
    UnitWeights unit;                          // of f or f2; its mask has one row per sentence
    std::vector<std::int64_t> source_lengths;  // [B] number of keys and values that are not padding

    bool is_conditional() const { return first.weight.defined(); }
};

struct AdditiveDecoderStates {
    at::Tensor states;    // [P,H] s_i, packed
    at::Tensor contexts;  // [P,C] c_i
    at::Tensor weights;   // [P,S] alpha_i, 0 at padding
};

// Runs all steps of a batch with teacher forcing (Bahdanau et al. 2014, appendix A):
//   c_i = sum_j alpha_ij h_j, alpha_i = softmax_j(v_a . tanh(W_a s_{i-1} + U_a h_j)),
//   s_i = f(s_{i-1}, E y_{i-1}, c_i);
// or, with two units (conditional GRU; Sennrich et al. 2017, section 2.1),
//   s'_i = f1(s_{i-1}, E y_{i-1}), c_i as above from s'_i instead of s_{i-1}, s_i = f2(s'_i, c_i).
// The forward and the backward pass are written by hand, one of each: no tensor of the size of B * S * A is stored for
// a step, padding is skipped, and each weight's gradient is one product over all steps. `rows` packs the target side.
// REQUIRES: has_fused_form(decoder.projected); or has_library_form() of it, a GRU or an LSTM, and no norm.
AdditiveDecoderStates run_additive_decoder(const AdditiveDecoder& decoder, const PackedRows& rows,
                                           const Execution& execution);

}  // namespace softalign
