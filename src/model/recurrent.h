#pragma once

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <memory>

#include "config/config.h"
#include "model/layer_norm.h"

namespace softalign {

// The state of one recurrent layer for N rows.
struct RecurrentState {
    at::Tensor hidden;  // [N,H]
    at::Tensor cell;    // [N,H], LSTM only

    RecurrentState select(const at::Tensor& rows) const;
};

// One recurrent unit, advanced a step at a time. The part that depends on the input alone (`project`) is taken out of
// the loop over time: one product for a whole sequence.
//
// gru (LibTorch's): r = sigma(W_r x + b_r + U_r h + d_r), z likewise,
//                   n = tanh(W_n x + b_n + r * (U_n h + d_n)), h' = (1 - z) * n + z * h.
// lstm:             i, f, g, o from W x + b + U h + d; c' = f * c + i * tanh(g); h' = o * tanh(c').
// With layer normalisation (Ba, Kiros, Hinton 2016): LN(W x) and LN(U h) in place of W x + b and U h + d, each over all
// gates, and for the LSTM LN(c') inside the last tanh.
// Gates are stored in LibTorch's order: r, z, n and i, f, g, o.
class RecurrentCell : public torch::nn::Module {
public:
    // context_size > 0 adds a second input c with a matrix of its own, so that W x can be hoisted out of the loop over
    // time although c is known only inside it.
    RecurrentCell(CellType type, std::int64_t input_size, std::int64_t hidden_size, bool layer_norm,
                  std::int64_t context_size = 0);

    // W x + b: x [...,I] -> [...,G*H].
    at::Tensor project(const at::Tensor& x) const;

    // C c, to be added to project(x): c [...,C] -> [...,G*H]. REQUIRES: context_size > 0.
    at::Tensor project_context(const at::Tensor& c) const;

    // One step from projected inputs [N,G*H]. mask [N,H] multiplies the state that enters U (variational dropout, Gal
    // and Ghahramani 2016); undefined = none.
    RecurrentState step(const at::Tensor& projected, const RecurrentState& state, const at::Tensor& mask) const;

    RecurrentState zero_state(std::int64_t rows) const;
    std::int64_t hidden_size() const { return hidden_size_; }
    CellType type() const { return type_; }

private:
    RecurrentState step_gru(const at::Tensor& projected, const at::Tensor& recurrent,
                            const RecurrentState& state) const;
    RecurrentState step_lstm(const at::Tensor& projected, const at::Tensor& recurrent,
                             const RecurrentState& state) const;

    CellType type_;
    std::int64_t hidden_size_;
    at::Tensor weight_ih_;  // [G*H,I]
    at::Tensor weight_ch_;  // [G*H,C]; undefined without a context
    at::Tensor weight_hh_;  // [G*H,H]
    at::Tensor bias_ih_;    // [G*H]; undefined with layer norm, whose bias takes its place
    at::Tensor bias_hh_;    // [G*H]
    std::shared_ptr<LayerNorm> norm_ih_;
    std::shared_ptr<LayerNorm> norm_ch_;
    std::shared_ptr<LayerNorm> norm_hh_;
    std::shared_ptr<LayerNorm> norm_cell_;
};

}  // namespace softalign
