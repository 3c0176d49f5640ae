#include "model/decoder.h"

#include <string>

namespace softalign {

namespace {

bool feeds_input(const DecoderConfig& config) {
    return config.attend == AttendWhen::after && config.input_feeding;
}

// The attention of one step: query [N,Q] -> context [N,D], weights [N,S].
AttentionResult attend_once(const Attention& attention, const at::Tensor& query, const DecoderMemory& memory) {
    AttentionResult result = attention.attend(query.unsqueeze(1), memory);
    result.context = result.context.squeeze(1);
    if (result.weights.defined()) {
        result.weights = result.weights.squeeze(1);
    }
    return result;
}

at::Tensor stack_weights(const std::vector<at::Tensor>& weights) {
    return weights.front().defined() ? at::stack(weights, 0) : at::Tensor();
}

}  // namespace

DecoderState DecoderState::select(const at::Tensor& rows) const {
    DecoderState result;
    result.layers.reserve(layers.size());
    for (const RecurrentState& layer : layers) {
        result.layers.push_back(layer.select(rows));
    }
    result.feed = feed.defined() ? feed.index_select(0, rows) : feed;
    return result;
}

Decoder::Decoder(const ModelConfig& config, std::int64_t annotation_size)
    : config_(config.decoder),
      recurrent_dropout_(config.dropout.recurrent),
      readout_size_(config.decoder.readout_size > 0 ? config.decoder.readout_size : config.embedding_size) {
    const std::int64_t hidden = config_.hidden_size;
    const bool before = config_.attend == AttendWhen::before;
    for (std::int64_t i = 0; i < config_.layers; ++i) {
        const std::int64_t input = i == 0 ? config.embedding_size : hidden;
        std::int64_t context = 0;
        if (i == 0) {
            context = before ? annotation_size : (config_.input_feeding ? readout_size_ : 0);
        }
        layers_.push_back(
            register_module("layer" + std::to_string(i),
                            std::make_shared<RecurrentCell>(config_.cell, input, hidden, config.layer_norm, context)));
    }
    attention_ = register_module("attention", make_attention(config.attention, hidden, annotation_size));
    if (config_.initial_state != InitialState::zero) {
        const std::int64_t width = config_.cell == CellType::lstm ? 2 * hidden : hidden;
        for (std::int64_t i = 0; i < config_.layers; ++i) {
            const std::string suffix = std::to_string(i);
            weight_init_.push_back(register_parameter("weight_init" + suffix, at::zeros({width, annotation_size})));
            bias_init_.push_back(register_parameter("bias_init" + suffix, at::zeros({width})));
        }
    }
    weight_state_ = register_parameter("weight_state", at::zeros({readout_size_, hidden}));
    if (before) {
        weight_word_ = register_parameter("weight_word", at::zeros({readout_size_, config.embedding_size}));
    }
    weight_context_ = register_parameter("weight_context", at::zeros({readout_size_, annotation_size}));
    bias_readout_ = register_parameter("bias_readout", at::zeros({readout_size_}));
}

DecoderMemory Decoder::prepare(const EncoderOutput& encoded) const {
    return attention_->prepare(encoded);
}

DecoderState Decoder::initial_state(const EncoderOutput& encoded) const {
    const at::Tensor& from = config_.initial_state == InitialState::last ? encoded.last : encoded.mean;
    const std::int64_t rows = encoded.mask.size(0);
    DecoderState state;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        if (weight_init_.empty()) {
            state.layers.push_back(layers_[i]->zero_state(rows));
            continue;
        }
        const at::Tensor start = at::linear(from, weight_init_[i], bias_init_[i]).tanh();
        if (layers_[i]->type() == CellType::lstm) {
            const std::vector<at::Tensor> parts = start.chunk(2, 1);
            state.layers.push_back({parts[0].contiguous(), parts[1].contiguous()});
        } else {
            state.layers.push_back({start, at::Tensor()});
        }
    }
    if (feeds_input(config_)) {
        state.feed = at::zeros({rows, readout_size_}, encoded.mean.options().requires_grad(false));
    }
    return state;
}

std::vector<at::Tensor> Decoder::recurrent_masks(const at::Tensor& embedded, Noise* noise) const {
    std::vector<at::Tensor> masks(layers_.size());
    if (noise != nullptr && recurrent_dropout_ > 0.0) {
        for (at::Tensor& mask : masks) {
            mask = noise->mask({embedded.size(1), config_.hidden_size}, recurrent_dropout_,
                               embedded.options().requires_grad(false));
        }
    }
    return masks;
}

at::Tensor Decoder::advance(const at::Tensor& projected, DecoderState& state,
                            const std::vector<at::Tensor>& masks) const {
    state.layers[0] = layers_[0]->step(projected, state.layers[0], masks[0]);
    at::Tensor output = state.layers[0].hidden;
    for (std::size_t i = 1; i < layers_.size(); ++i) {
        state.layers[i] = layers_[i]->step(layers_[i]->project(output), state.layers[i], masks[i]);
        output = config_.residual ? state.layers[i].hidden + output : state.layers[i].hidden;
    }
    return output;
}

DecoderSteps Decoder::run(const at::Tensor& embedded, const DecoderMemory& memory, const DecoderState& state,
                          Noise* noise) const {
    const std::vector<at::Tensor> masks = recurrent_masks(embedded, noise);
    if (config_.attend == AttendWhen::before) {
        return run_before(embedded, memory, state, masks);
    }
    return config_.input_feeding ? run_after_feeding(embedded, memory, state, masks)
                                 : run_after(embedded, memory, state, masks);
}

DecoderSteps Decoder::run_before(const at::Tensor& embedded, const DecoderMemory& memory, DecoderState state,
                                 const std::vector<at::Tensor>& masks) const {
    const std::vector<at::Tensor> projected = layers_[0]->project(embedded).unbind(0);
    std::vector<at::Tensor> outputs;
    std::vector<at::Tensor> contexts;
    std::vector<at::Tensor> weights;
    for (const at::Tensor& word : projected) {
        const AttentionResult seen = attend_once(*attention_, state.layers.back().hidden, memory);
        outputs.push_back(advance(word + layers_[0]->project_context(seen.context), state, masks));
        contexts.push_back(seen.context);
        weights.push_back(seen.weights);
    }
    const at::Tensor readouts = at::linear(at::stack(outputs, 0), weight_state_, bias_readout_) +
                                at::linear(embedded, weight_word_) +
                                at::linear(at::stack(contexts, 0), weight_context_);
    return {readouts.tanh(), stack_weights(weights), state};
}

DecoderSteps Decoder::run_after(const at::Tensor& embedded, const DecoderMemory& memory, DecoderState state,
                                const std::vector<at::Tensor>& masks) const {
    const std::vector<at::Tensor> projected = layers_[0]->project(embedded).unbind(0);
    std::vector<at::Tensor> outputs;
    for (const at::Tensor& word : projected) {
        outputs.push_back(advance(word, state, masks));
    }
    const at::Tensor queries = at::stack(outputs, 1);  // [N,T,H]
    const AttentionResult seen = attention_->attend(queries, memory);
    const at::Tensor readouts =
        at::linear(queries, weight_state_, bias_readout_) + at::linear(seen.context, weight_context_);
    return {readouts.tanh().transpose(0, 1), seen.weights.defined() ? seen.weights.transpose(0, 1) : seen.weights,
            state};
}

DecoderSteps Decoder::run_after_feeding(const at::Tensor& embedded, const DecoderMemory& memory, DecoderState state,
                                        const std::vector<at::Tensor>& masks) const {
    const std::vector<at::Tensor> projected = layers_[0]->project(embedded).unbind(0);
    std::vector<at::Tensor> readouts;
    std::vector<at::Tensor> weights;
    for (const at::Tensor& word : projected) {
        const at::Tensor output = advance(word + layers_[0]->project_context(state.feed), state, masks);
        const AttentionResult seen = attend_once(*attention_, output, memory);
        state.feed =
            (at::linear(output, weight_state_, bias_readout_) + at::linear(seen.context, weight_context_)).tanh();
        readouts.push_back(state.feed);
        weights.push_back(seen.weights);
    }
    return {at::stack(readouts, 0), stack_weights(weights), state};
}

}  // namespace softalign
