#pragma once

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "config/config.h"
#include "model/attention.h"
#include "model/encoder.h"
#include "model/noise.h"
#include "model/recurrent.h"

namespace softalign {

// What the decoder reads at every step, one row a sentence (or a hypothesis).
using DecoderMemory = AttentionMemory;

// The decoder between two steps: a value that is passed and returned.
struct DecoderState {
    std::vector<RecurrentState> layers;
    at::Tensor feed;  // [N,R] the previous attentional vector, with input feeding only

    DecoderState select(const at::Tensor& rows) const;
};

// T steps of N rows, time first.
struct DecoderSteps {
    at::Tensor readouts;  // [T,N,R], before the output projection, without dropout
    at::Tensor weights;   // [T,N,S]; undefined without attention
    DecoderState state;   // after the last step
};

// Recurrent layers with attention and a readout, in the order that config.decoder.attend says.
//
// before (Bahdanau et al. 2014, printed form):
//   c_i = attend(s_{i-1}), s_i = f(s_{i-1}, [E y_{i-1}], c_i), t_i = tanh(W_s s_i + W_y E y_{i-1} + W_c c_i + b).
// after (Luong et al. 2015, equation 5):
//   h_t = f(h_{t-1}, [E y_{t-1} ; t_{t-1} with input feeding]), c_t = attend(h_t), t_t = tanh(W_c c_t + W_s h_t + b).
// s and h are the top layer's; the context, or the fed vector, enters the lowest layer.
class Decoder : public torch::nn::Module {
public:
    Decoder(const ModelConfig& config, std::int64_t annotation_size);

    DecoderMemory prepare(const EncoderOutput& encoded) const;

    // s_0 = tanh(W x + b) for each layer, x the last encoder state or the mean annotation, or zeros.
    DecoderState initial_state(const EncoderOutput& encoded) const;

    // embedded [T,N,E]: the previous target words. T = 1 in search, the whole sentence in training.
    DecoderSteps run(const at::Tensor& embedded, const DecoderMemory& memory, const DecoderState& state,
                     Noise* noise) const;

    std::int64_t readout_size() const { return readout_size_; }

private:
    // All layers one step up, from the lowest layer's projected input.
    at::Tensor advance(const at::Tensor& projected, DecoderState& state, const std::vector<at::Tensor>& masks) const;
    std::vector<at::Tensor> recurrent_masks(const at::Tensor& embedded, Noise* noise) const;
    DecoderSteps run_before(const at::Tensor& embedded, const DecoderMemory& memory, DecoderState state,
                            const std::vector<at::Tensor>& masks) const;
    DecoderSteps run_after(const at::Tensor& embedded, const DecoderMemory& memory, DecoderState state,
                           const std::vector<at::Tensor>& masks) const;
    DecoderSteps run_after_feeding(const at::Tensor& embedded, const DecoderMemory& memory, DecoderState state,
                                   const std::vector<at::Tensor>& masks) const;

    DecoderConfig config_;
    double recurrent_dropout_;
    std::int64_t readout_size_;
    std::vector<std::shared_ptr<RecurrentCell>> layers_;
    std::shared_ptr<Attention> attention_;
    std::vector<at::Tensor> weight_init_;  // a layer: [H or 2H,D]; empty for zeros
    std::vector<at::Tensor> bias_init_;    // [H or 2H]
    at::Tensor weight_state_;              // W_s [R,H]
    at::Tensor weight_word_;               // W_y [R,E], attend before only
    at::Tensor weight_context_;            // W_c [R,D]
    at::Tensor bias_readout_;              // b [R]
};

}  // namespace softalign
