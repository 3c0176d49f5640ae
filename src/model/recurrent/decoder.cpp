#include "model/recurrent/decoder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ops/affine.h"
#include "ops/execution.h"
#include "ops/packed_rows.h"
#include "ops/to_device.h"

namespace softalign {

namespace {

bool feeds_input(const DecoderConfig& config) {
    return config.attend == AttendWhen::after && config.input_feeding;
}

}  // namespace

MemoryPtr RecurrentMemory::select(const at::Tensor& rows) const {
    return std::make_shared<RecurrentMemory>(attention.select(rows), sharable, projected);
}

MemoryPtr RecurrentMemory::share(const at::Tensor& rows) const {
    return std::make_shared<RecurrentMemory>(sharable ? attention.shared(rows) : attention.select(rows), sharable,
                                             projected);
}

StatePtr RecurrentDecoderState::select(const at::Tensor& rows) const {
    const at::Tensor there = to_device(rows, layers.front().hidden.device());
    auto result = std::make_shared<RecurrentDecoderState>();
    result->layers.reserve(layers.size());
    for (const RecurrentState& layer : layers) {
        result->layers.push_back(layer.select(there));
    }
    result->feed = select_rows(feed, there);
    result->attention = attention.select(there);
    return result;
}

RecurrentDecoderState RecurrentDecoderState::first(std::int64_t count) const {
    RecurrentDecoderState result;
    for (const RecurrentState& layer : layers) {
        result.layers.push_back(layer.first(count));
    }
    result.feed = first_rows(feed, count);
    result.attention = attention.first(count);
    return result;
}

RecurrentDecoder::RecurrentDecoder(const ModelConfig& config, std::int64_t annotation_size)
    : config_(config.decoder), dropout_(config.dropout) {
    attention_ = add_part("attention", make_attention(config.attention, config_.hidden_size, annotation_size));
    ReadoutShape readout;
    readout.type = config_.readout;
    readout.size = config_.readout_size > 0 ? config_.readout_size : config.embedding_size;
    if (config_.readout == ReadoutType::none) {
        readout.size = config_.hidden_size;
    }
    readout.state_size = config_.hidden_size;
    const bool never = config_.attend == AttendWhen::never;
    readout.word_size = config_.attend == AttendWhen::after || never ? 0 : config.embedding_size;
    readout.context_size = never ? 0 : attention_->context_size();
    readout_ = add_part("readout", std::make_shared<Readout>(readout));
    make_layers(config);
    choose_form(config);
    make_initial_state(annotation_size);
}

void RecurrentDecoder::make_layers(const ModelConfig& config) {
    const bool between = config_.attend == AttendWhen::between;
    CellShape common;
    common.type = config_.cell;
    common.hidden_size = config_.hidden_size;
    common.layer_norm = config.layer_norm && config_.layer_norm;
    common.depth = config_.transition_depth;
    for (std::int64_t i = 0; i < config_.layers; ++i) {
        CellShape shape = common;
        shape.input_size = i == 0 ? config.embedding_size : config_.hidden_size;
        if (i == 0 && config_.attend == AttendWhen::after) {
            shape.context_size = config_.input_feeding ? readout_->size() : 0;
        } else if (i == 0 && between) {
            shape.depth = 1;  // the deeper units come after f2
        } else if (i == 0 ? config_.attend != AttendWhen::never : config_.deep_context) {
            shape.context_size = attention_->context_size();
        }
        layers_.push_back(add_part("layer" + std::to_string(i), std::make_shared<RecurrentCell>(shape)));
    }
    if (between) {
        CellShape shape = common;
        shape.input_size = attention_->context_size();
        conditional_ = add_part("conditional", std::make_shared<RecurrentCell>(shape));
    }
}

void RecurrentDecoder::make_initial_state(std::int64_t annotation_size) {
    const InitialState type = config_.initial_state;
    if (type == InitialState::zero || type == InitialState::copy) {
        return;
    }
    const std::int64_t from = type == InitialState::first_backward ? annotation_size / 2 : annotation_size;
    const std::int64_t width = config_.cell == CellType::lstm ? 2 * config_.hidden_size : config_.hidden_size;
    for (std::int64_t i = 0; i < config_.layers; ++i) {
        const std::string suffix = std::to_string(i);
        weight_init_.push_back(declare("weight_init" + suffix, {width, from}, Role::matrix));
        bias_init_.push_back(declare("bias_init" + suffix, {width}, Role::bias));
    }
}

MemoryPtr RecurrentDecoder::prepare(const Encoded& encoded, const Execution& execution) const {
    AttentionMemory memory = attention_->prepare(encoded, execution);
    const bool sharable = attention_->shares(memory);
    return std::make_shared<RecurrentMemory>(std::move(memory), sharable, false);
}

MemoryPtr RecurrentDecoder::prepare_for_many(const MemoryPtr& memory, const Execution& execution) const {
    if (form_ != Form::additive || !layers_.front()->is_plain() || conditional_ ||
        config_.readout == ReadoutType::none) {
        return memory;
    }
    auto result = std::make_shared<RecurrentMemory>(dynamic_cast<const RecurrentMemory&>(*memory));
    const at::Tensor values = result->attention.values;
    result->attention.values =
        at::cat({layers_.front()->project_context(values, execution), readout_->project_context(values, execution)}, 2);
    result->projected = true;
    return result;
}

RecurrentState RecurrentDecoder::first_state(const Encoded& encoded, std::size_t layer,
                                             const Execution& execution) const {
    const Summary& summary = encoded.summary;
    if (config_.initial_state == InitialState::copy) {
        return {summary.hidden[layer], summary.cell.empty() ? at::Tensor() : summary.cell[layer]};
    }
    if (weight_init_.empty()) {
        return layers_[layer]->zero_state(encoded.annotations.size(0));
    }
    at::Tensor from = config_.initial_state == InitialState::mean ? summary.mean : summary.last;
    if (config_.initial_state == InitialState::first_backward) {
        from = from.chunk(2, 1)[1];
    }
    const at::Tensor start = affine(from, weight_init_[layer], bias_init_[layer], execution).tanh();
    if (config_.cell != CellType::lstm) {
        return {start, at::Tensor()};
    }
    const std::vector<at::Tensor> parts = start.chunk(2, 1);
    return {parts[0].contiguous(), parts[1].contiguous()};
}

StatePtr RecurrentDecoder::start(const Encoded& encoded, const Execution& execution) const {
    auto state = std::make_shared<RecurrentDecoderState>();
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        state->layers.push_back(first_state(encoded, i, execution));
    }
    if (feeds_input(config_)) {
        state->feed = at::zeros({encoded.annotations.size(0), readout_->size()},
                                encoded.annotations.options().requires_grad(false));
    }
    return state;
}

std::vector<at::Tensor> RecurrentDecoder::recurrent_masks(std::int64_t rows, const at::Tensor& like,
                                                          Noise* noise) const {
    std::vector<at::Tensor> masks(layers_.size());
    if (noise != nullptr && dropout_.recurrent > 0.0) {
        for (at::Tensor& mask : masks) {
            mask = noise->mask({rows, config_.hidden_size}, dropout_.recurrent, like.options().requires_grad(false));
        }
    }
    return masks;
}

at::Tensor RecurrentDecoder::with_first_words(const at::Tensor& words, std::int64_t count) const {
    if (config_.first_word != FirstWord::zero) {
        return words;
    }
    return at::cat({at::zeros_like(words.narrow(0, 0, count)), words.narrow(0, count, words.size(0) - count)}, 0);
}

std::vector<PartWork> RecurrentDecoder::work(const BatchShape& on) const {
    // An update that follows the word is missing at the first step.
    const bool late = config_.attend == AttendWhen::look_generate_update;
    const std::int64_t updates = on.rows * std::max<std::int64_t>(on.target - (late ? 1 : 0), 0);
    double first = 0.0;
    for (const at::Tensor& weight : weight_init_) {
        first += flop(on.rows, weight);
    }
    double inputs = layers_[0]->input_work(on.targets()) + layers_[0]->context_work(updates);
    double states = layers_[0]->step_work(updates);
    if (conditional_) {
        inputs += conditional_->input_work(updates);
        states += conditional_->step_work(updates);
    }
    for (std::size_t i = 1; i < layers_.size(); ++i) {
        inputs += layers_[i]->input_work(updates) + layers_[i]->context_work(updates);
        states += layers_[i]->step_work(updates);
    }
    const AttentionWork attention = attention_->work(on);
    return {{"keys", attention.once},
            {"first state", first},
            {"decoder inputs", inputs},
            {"decoder states", states},
            {"attention", config_.attend == AttendWhen::never ? 0.0 : attention.steps},
            {"readout", readout_->work(on.targets())}};
}

}  // namespace softalign
