#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "config/config.h"
#include "model/layer_norm.h"
#include "model/part.h"
#include "ops/execution.h"
#include "ops/recurrent.h"

namespace softalign {

// The state of one recurrent layer for N rows.
struct RecurrentState {
    at::Tensor hidden;  // [N,H]
    at::Tensor cell;    // [N,H], LSTM only

    RecurrentState select(const at::Tensor& rows) const;
    RecurrentState first(std::int64_t rows) const;
};

struct CellShape {
    CellType type = CellType::gru;
    std::int64_t input_size = 0;  // I; 0 = no input but the state
    std::int64_t hidden_size = 0;
    bool layer_norm = false;
    // C > 0 adds a second input c with a matrix of its own, so that W x can be hoisted out of the loop over time
    // although c is known only inside it.
    std::int64_t context_size = 0;
    // Units per step: the first takes the inputs, each further one the state of the one before (deep transition,
    // Pascanu et al. 2014, figure 2b; Miceli Barone et al. 2017).
    std::int64_t depth = 1;
};

// One recurrent unit, advanced one step at a time. `project` computes the part that depends only on the input, outside
// the loop over time: one product for a whole sequence.
//
// gru (LibTorch's): r = sigma(W_r x + b_r + U_r h + d_r), z likewise,
//                   n = tanh(W_n x + b_n + r * (U_n h + d_n)), h' = (1 - z) * n + z * h.
// gru_cho (Cho et al. 2014, section 2.3; Bahdanau et al. 2014, appendix A.1.1):
//                   r = sigma(W_r x + b_r + U_r h), z likewise,
//                   n = tanh(W_n x + b_n + U_n (r * h)), h' = (1 - z) * h + z * n.
// lstm:             i, f, g, o from W x + b + U h + d; c' = f * c + i * tanh(g); h' = o * tanh(c').
// With layer normalisation (Ba, Kiros, Hinton 2016): LN(W x) and LN(U h) in place of W x + b and U h + d, each over all
// gates, and for the LSTM LN(c') inside the last tanh. A unit without an input has b in place of W x + b.
// Gates are stored in LibTorch's order: r, z, n and i, f, g, o.
class RecurrentCell : public Part {
public:
    explicit RecurrentCell(const CellShape& shape);

    // W x + b: x [...,I] -> [...,G*H]. REQUIRES: input_size > 0.
    at::Tensor project(const at::Tensor& x, const Execution& execution) const;

    // C c, to be added to project(x): c [...,C] -> [...,G*H]. REQUIRES: context_size > 0.
    at::Tensor project_context(const at::Tensor& c, const Execution& execution) const;

    // One step from projected inputs [N,G*H]. mask [N,H] multiplies the state that enters U (variational dropout, Gal
    // and Ghahramani 2016); undefined = none.
    RecurrentState step(const at::Tensor& projected, const RecurrentState& state, const at::Tensor& mask,
                        const Execution& execution) const;

    // The matrix products of project, of project_context and of step for `rows` rows, in floating-point operations.
    double input_work(std::int64_t rows) const { return flop(rows, weight_ih_); }
    double context_work(std::int64_t rows) const { return flop(rows, weight_ch_); }
    double step_work(std::int64_t rows) const;

    RecurrentState zero_state(std::int64_t rows) const;
    std::int64_t hidden_size() const { return shape_.hidden_size; }
    CellType type() const { return shape_.type; }

    // Whether a step is exactly the equations of this type, or of its own, above, so that code specialised for them can
    // run it.
    bool is_plain(CellType type) const { return is_simple(type, false); }
    bool is_plain() const { return is_plain(shape_.type); }

    // W, U, b, d, in the order of LibTorch's layers. REQUIRES: is_plain(), of a type that has them all.
    std::vector<at::Tensor> weights() const { return {weight_ih_, weight_hh_, bias_ih_, bias_hh_}; }
    const at::Tensor& weight_ih() const { return weight_ih_; }  // W
    const at::Tensor& bias_ih() const { return bias_ih_; }      // b
    const at::Tensor& weight_ch() const { return weight_ch_; }  // C
    // Of W x and C c; undefined = none.
    NormWeights norm_ih() const { return weights_of(norm_ih_); }
    NormWeights norm_ch() const { return weights_of(norm_ch_); }

    // Whether the functions over a sequence of ops/recurrent.h serve this unit: it is plain, or a GRU that is but for
    // layer normalisation.
    bool has_sequence_form() const;

    // For the functions of ops/recurrent.h. REQUIRES: has_sequence_form().
    UnitType unit_type() const;
    UnitWeights unit_weights(const at::Tensor& mask) const {
        return {weight_hh_, bias_hh_, mask, weights_of(norm_hh_)};
    }

private:
    RecurrentState advance(const at::Tensor& projected, const RecurrentState& state, const at::Tensor& mask,
                           const Execution& execution) const;
    static NormWeights weights_of(const std::shared_ptr<LayerNorm>& norm) {
        return norm ? NormWeights{norm->gain(), norm->bias()} : NormWeights();
    }
    // is_plain() with or without layer normalisation.
    bool is_simple(CellType type, bool layer_norm) const;
    RecurrentState step_normalized_lstm(const at::Tensor& projected, const at::Tensor& recurrent,
                                        const RecurrentState& state) const;

    CellShape shape_;
    at::Tensor weight_ih_;  // [G*H,I]; undefined without an input
    at::Tensor weight_ch_;  // [G*H,C]; undefined without a context
    at::Tensor weight_hh_;  // [G*H,H]
    at::Tensor bias_ih_;    // [G*H]; undefined where layer norm's bias takes its place
    at::Tensor bias_hh_;    // [G*H]; likewise, and with gru_cho
    std::shared_ptr<LayerNorm> norm_ih_;
    std::shared_ptr<LayerNorm> norm_ch_;
    std::shared_ptr<LayerNorm> norm_hh_;
    std::shared_ptr<LayerNorm> norm_cell_;
    std::vector<std::shared_ptr<RecurrentCell>> deeper_;
};

}  // namespace softalign
