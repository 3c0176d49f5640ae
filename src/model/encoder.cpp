#include "model/encoder.h"

#include <algorithm>
#include <string>

namespace softalign {

namespace {

struct DirectionOutput {
    at::Tensor states;  // [S,B,H]
    at::Tensor last;    // [B,H]
};

// One direction of one layer. inputs [S,B,I]; mask [S,B,1] bool.
DirectionOutput run_direction(const RecurrentCell& cell, const at::Tensor& inputs, const at::Tensor& mask, bool reverse,
                              double recurrent_dropout, Noise* noise) {
    const std::int64_t rows = inputs.size(1);
    const std::vector<at::Tensor> projected = cell.project(inputs).unbind(0);
    const std::vector<at::Tensor> present = mask.unbind(0);
    at::Tensor drop;
    if (noise != nullptr && recurrent_dropout > 0.0) {
        drop = noise->mask({rows, cell.hidden_size()}, recurrent_dropout, inputs.options().requires_grad(false));
    }
    const std::size_t length = projected.size();
    std::vector<at::Tensor> states(length);
    RecurrentState state = cell.zero_state(rows);
    for (std::size_t step = 0; step < length; ++step) {
        const std::size_t t = reverse ? length - 1 - step : step;
        RecurrentState next = cell.step(projected[t], state, drop);
        next.hidden = at::where(present[t], next.hidden, state.hidden);
        if (next.cell.defined()) {
            next.cell = at::where(present[t], next.cell, state.cell);
        }
        state = next;
        states[t] = state.hidden;
    }
    return {at::stack(states, 0), state.hidden};
}

}  // namespace

Encoder::Encoder(const ModelConfig& config)
    : annotation_size_(config.encoder.hidden_size * (config.encoder.bidirectional ? 2 : 1)),
      context_dropout_(config.dropout.context),
      recurrent_dropout_(config.dropout.recurrent),
      residual_(config.encoder.residual) {
    std::int64_t input_size = config.embedding_size;
    for (std::int64_t i = 0; i < config.encoder.layers; ++i) {
        const auto make_cell = [&](const char* direction) {
            return register_module("layer" + std::to_string(i) + "_" + direction,
                                   std::make_shared<RecurrentCell>(config.encoder.cell, input_size,
                                                                   config.encoder.hidden_size, config.layer_norm));
        };
        Layer layer;
        layer.forward = make_cell("forward");
        layer.backward = config.encoder.bidirectional ? make_cell("backward") : nullptr;
        layers_.push_back(layer);
        input_size = annotation_size_;
    }
}

EncoderOutput Encoder::forward(const at::Tensor& embedded, const at::Tensor& mask, Noise* noise) const {
    const at::Tensor step_mask = mask.transpose(0, 1).unsqueeze(2).contiguous();  // [S,B,1]
    at::Tensor states = embedded.transpose(0, 1).contiguous();                    // [S,B,E]
    at::Tensor last;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        const DirectionOutput ahead =
            run_direction(*layers_[i].forward, states, step_mask, false, recurrent_dropout_, noise);
        at::Tensor output = ahead.states;
        last = ahead.last;
        if (layers_[i].backward) {
            const DirectionOutput back =
                run_direction(*layers_[i].backward, states, step_mask, true, recurrent_dropout_, noise);
            output = at::cat({output, back.states}, 2);
            last = at::cat({last, back.last}, 1);
        }
        states = residual_ && i > 0 ? output + states : output;
    }
    EncoderOutput result;
    result.mask = mask;
    result.last = last;
    const at::Tensor present = step_mask.to(states.scalar_type());  // [S,B,1]
    const at::Tensor annotations = states * present;
    result.mean = annotations.sum(0) / present.sum(0);
    result.annotations = dropout(annotations.transpose(0, 1).contiguous(), context_dropout_, noise);
    return result;
}

}  // namespace softalign
