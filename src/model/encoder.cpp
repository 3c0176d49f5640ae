#include "model/encoder.h"

#include <algorithm>
#include <string>

#include "model/reading_order.h"
#include "model/self_attention.h"

namespace softalign {

namespace {

struct DirectionOutput {
    at::Tensor states;  // [S,B,H]
    RecurrentState last;
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
    return {at::stack(states, 0), state};
}

// x [B,S,·], order [B,S].
at::Tensor reorder(const at::Tensor& x, const at::Tensor& order) {
    return x.gather(1, order.unsqueeze(2).expand({-1, -1, x.size(2)}));
}

}  // namespace

Encoder::Encoder(const ModelConfig& config)
    : config_(config.encoder),
      dropout_(config.dropout),
      annotation_size_(config.encoder.hidden_size * (config.encoder.bidirectional ? 2 : 1)) {
    CellShape shape;
    shape.type = config_.cell;
    shape.input_size = config.embedding_size;
    shape.hidden_size = config_.hidden_size;
    shape.layer_norm = config.layer_norm;
    shape.depth = config_.transition_depth;
    for (std::int64_t i = 0; i < config_.layers; ++i) {
        const auto make_cell = [&](const char* direction) {
            return register_module("layer" + std::to_string(i) + "_" + direction,
                                   std::make_shared<RecurrentCell>(shape));
        };
        Layer layer;
        layer.forward = make_cell("forward");
        layer.backward = config_.bidirectional ? make_cell("backward") : nullptr;
        layers_.push_back(layer);
        shape.input_size = annotation_size_;
    }
    for (std::int64_t i = 0; i < config_.self_attention.layers; ++i) {
        self_attention_.push_back(
            register_module("self" + std::to_string(i),
                            std::make_shared<SelfAttentionLayer>(config_.self_attention, annotation_size_)));
    }
}

at::Tensor Encoder::run_layers(const at::Tensor& embedded, const at::Tensor& mask, Noise* noise,
                               EncoderOutput& result) const {
    const at::Tensor step_mask = mask.transpose(0, 1).unsqueeze(2).contiguous();  // [S,B,1]
    at::Tensor states = embedded.transpose(0, 1).contiguous();                    // [S,B,E]
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        const at::Tensor input = i > 0 ? dropout(states, dropout_.layers, noise) : states;
        const DirectionOutput ahead =
            run_direction(*layers_[i].forward, input, step_mask, false, dropout_.recurrent, noise);
        at::Tensor output = ahead.states;
        result.last = ahead.last.hidden;
        result.final_states.push_back(ahead.last);
        if (layers_[i].backward) {
            const DirectionOutput back =
                run_direction(*layers_[i].backward, input, step_mask, true, dropout_.recurrent, noise);
            output = at::cat({output, back.states}, 2);
            result.last = at::cat({result.last, back.last.hidden}, 1);
        }
        states = config_.residual && i > 0 ? output + states : output;
    }
    return states;
}

EncoderOutput Encoder::forward(const at::Tensor& embedded, const at::Tensor& mask, Noise* noise) const {
    EncoderOutput result;
    result.mask = mask;
    const at::Tensor order = config_.reverse_source ? reversed_order(mask) : at::Tensor();
    at::Tensor annotations =
        run_layers(order.defined() ? reorder(embedded, order) : embedded, mask, noise, result).transpose(0, 1);
    if (order.defined()) {
        annotations = reorder(annotations, order);
    }
    const at::Tensor present = mask.unsqueeze(2).to(annotations.scalar_type());  // [B,S,1]
    if (!self_attention_.empty() && config_.self_attention.positions) {
        annotations = annotations + sinusoids(annotations.size(1), annotation_size_, annotations.options());
    }
    for (const auto& layer : self_attention_) {
        annotations = layer->forward(annotations, mask);
    }
    annotations = annotations * present;
    result.mean = annotations.sum(1) / present.sum(1);
    result.annotations = dropout(annotations.contiguous(), dropout_.context, noise);
    return result;
}

}  // namespace softalign
