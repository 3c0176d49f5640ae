#pragma once

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "config/config.h"
#include "model/noise.h"
#include "model/recurrent.h"

namespace softalign {

// What the encoder makes of a batch. D = hidden_size times the number of directions.
struct EncoderOutput {
    at::Tensor annotations;  // [B,S,D], exactly 0 at padding
    at::Tensor mask;         // [B,S] bool, true = token
    at::Tensor last;         // [B,D]: forward state after the last token; backward state after the first
    at::Tensor mean;         // [B,D]: mean of the annotations over the tokens
};

// n recurrent layers, each in one direction or two (Bahdanau et al. 2014, section 3.2: h_j = [forward_j ; backward_j]).
// A state is held, not updated, at padding, so padding changes nothing; the backward direction starts at the last true
// token.
class Encoder : public torch::nn::Module {
public:
    Encoder(const ModelConfig& config);

    // embedded [B,S,E], mask [B,S] bool.
    EncoderOutput forward(const at::Tensor& embedded, const at::Tensor& mask, Noise* noise) const;

    std::int64_t annotation_size() const { return annotation_size_; }

private:
    struct Layer {
        std::shared_ptr<RecurrentCell> forward;
        std::shared_ptr<RecurrentCell> backward;  // null in one direction
    };

    std::vector<Layer> layers_;
    std::int64_t annotation_size_;
    double context_dropout_;
    double recurrent_dropout_;
    bool residual_;
};

}  // namespace softalign
