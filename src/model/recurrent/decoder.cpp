#include "model/recurrent/decoder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/attention/mechanisms.h"
#include "ops/additive_decoder.h"
#include "ops/affine.h"
#include "ops/noise.h"
#include "ops/packed_rows.h"

namespace softalign {

namespace {

bool feeds_input(const DecoderConfig& config) {
    return config.attend == AttendWhen::after && config.input_feeding;
}

// Whether ops/additive_decoder.h knows these options. All are named here, so that a new one does not compile before
// somebody has decided whether that form serves it.
bool has_additive_form(const DecoderConfig& config, const AttentionConfig& attention) {
    const auto& [cell, layers, hidden_size, attend, input_feeding, initial_state, readout, readout_state, readout_size,
                 first_word, reverse_target, residual, transition_depth] = config;
    const auto& [type, size, score, window, positions, heads, groups, coverage] = attention;
    return cell == CellType::gru && layers == 1 && attend == AttendWhen::before &&
           readout_state == ReadoutState::current && transition_depth == 1 && type == AttentionType::additive &&
           coverage == CoverageType::none;
}

at::Tensor stack_or_nothing(const std::vector<at::Tensor>& steps) {
    return !steps.empty() && steps.front().defined() ? at::stack(steps, 0) : at::Tensor();
}

}  // namespace

DecoderState DecoderState::select(const at::Tensor& rows) const {
    DecoderState result;
    result.layers.reserve(layers.size());
    for (const RecurrentState& layer : layers) {
        result.layers.push_back(layer.select(rows));
    }
    result.feed = select_rows(feed, rows);
    result.attention = attention.select(rows);
    return result;
}

Decoder::Decoder(const ModelConfig& config, std::int64_t annotation_size)
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
    if (has_additive_form(config_, config.attention) && layers_.front()->is_plain_gru()) {
        additive_ = std::dynamic_pointer_cast<AdditiveAttention>(attention_);
    }
    make_initial_state(annotation_size);
}

void Decoder::make_layers(const ModelConfig& config) {
    const bool between = config_.attend == AttendWhen::between;
    CellShape common;
    common.type = config_.cell;
    common.hidden_size = config_.hidden_size;
    common.layer_norm = config.layer_norm;
    common.depth = config_.transition_depth;
    for (std::int64_t i = 0; i < config_.layers; ++i) {
        CellShape shape = common;
        shape.input_size = i == 0 ? config.embedding_size : config_.hidden_size;
        if (i == 0 && config_.attend == AttendWhen::after) {
            shape.context_size = config_.input_feeding ? readout_->size() : 0;
        } else if (i == 0 && between) {
            shape.depth = 1;  // the deeper units come after f2
        } else if (i == 0 && config_.attend != AttendWhen::never) {
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

void Decoder::make_initial_state(std::int64_t annotation_size) {
    if (config_.initial_state == InitialState::zero || config_.initial_state == InitialState::copy) {
        return;
    }
    const std::int64_t from =
        config_.initial_state == InitialState::first_backward ? annotation_size / 2 : annotation_size;
    const std::int64_t width = config_.cell == CellType::lstm ? 2 * config_.hidden_size : config_.hidden_size;
    for (std::int64_t i = 0; i < config_.layers; ++i) {
        const std::string suffix = std::to_string(i);
        weight_init_.push_back(declare("weight_init" + suffix, {width, from}, Role::matrix));
        bias_init_.push_back(declare("bias_init" + suffix, {width}, Role::bias));
    }
}

DecoderMemory Decoder::prepare(const EncoderOutput& encoded, const Execution& execution) const {
    return attention_->prepare(encoded, execution);
}

DecoderMemory Decoder::project_values(const DecoderMemory& memory, const Execution& execution) const {
    if (!additive_ || config_.readout == ReadoutType::none) {
        return memory;
    }
    DecoderMemory result = memory;
    result.values = at::cat({layers_.front()->project_context(memory.values, execution),
                             readout_->project_context(memory.values, execution)},
                            2);
    result.projected = true;
    return result;
}

RecurrentState Decoder::first_state(const EncoderOutput& encoded, std::size_t layer, const Execution& execution) const {
    if (config_.initial_state == InitialState::copy) {
        return encoded.final_states[layer];
    }
    if (weight_init_.empty()) {
        return layers_[layer]->zero_state(encoded.mask.size(0));
    }
    at::Tensor from = config_.initial_state == InitialState::mean ? encoded.mean : encoded.last;
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

DecoderState Decoder::initial_state(const EncoderOutput& encoded, const Execution& execution) const {
    DecoderState state;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        state.layers.push_back(first_state(encoded, i, execution));
    }
    if (feeds_input(config_)) {
        state.feed = at::zeros({encoded.mask.size(0), readout_->size()}, encoded.mean.options().requires_grad(false));
    }
    return state;
}

std::vector<at::Tensor> Decoder::recurrent_masks(std::int64_t rows, const at::Tensor& like, Noise* noise) const {
    std::vector<at::Tensor> masks(layers_.size());
    if (noise != nullptr && dropout_.recurrent > 0.0) {
        for (at::Tensor& mask : masks) {
            mask = noise->mask({rows, config_.hidden_size}, dropout_.recurrent, like.options().requires_grad(false));
        }
    }
    return masks;
}

at::Tensor Decoder::with_first_words(const at::Tensor& words, std::int64_t count) const {
    if (config_.first_word != FirstWord::zero) {
        return words;
    }
    return at::cat({at::zeros_like(words.narrow(0, 0, count)), words.narrow(0, count, words.size(0) - count)}, 0);
}

at::Tensor Decoder::look(const at::Tensor& query, Run& run) const {
    const AttentionResult seen =
        attention_->attend(query.unsqueeze(1), run.memory, run.state.attention, run.weights_wanted, run.execution);
    run.weights.push_back(seen.weights.defined() ? seen.weights.squeeze(1) : at::Tensor());
    run.contexts.push_back(seen.context.squeeze(1));
    return run.contexts.back();
}

at::Tensor Decoder::advance(const at::Tensor& projected, Run& run) const {
    run.state.layers[0] = layers_[0]->step(projected, run.state.layers[0], run.masks[0], run.execution);
    return advance_above(run);
}

at::Tensor Decoder::advance_above(Run& run) const {
    at::Tensor output = run.state.layers[0].hidden;
    for (std::size_t i = 1; i < layers_.size(); ++i) {
        RecurrentState& layer = run.state.layers[i];
        const at::Tensor input =
            layers_[i]->project(dropout(output, dropout_.layers, run.execution.noise), run.execution);
        layer = layers_[i]->step(input, layer, run.masks[i], run.execution);
        output = config_.residual ? layer.hidden + output : layer.hidden;
    }
    return output;
}

void Decoder::step(const at::Tensor& word, Run& run) const {
    DecoderState& state = run.state;
    switch (config_.attend) {
        case AttendWhen::before: {
            const at::Tensor previous = state.layers.back().hidden;
            const at::Tensor context = look(previous, run);
            const at::Tensor projected = run.memory.projected ? context.narrow(1, 0, word.size(1))
                                                              : layers_[0]->project_context(context, run.execution);
            const at::Tensor output = advance(word + projected, run);
            run.outputs.push_back(config_.readout_state == ReadoutState::previous ? previous : output);
            return;
        }
        case AttendWhen::look_generate_update: {
            const at::Tensor output = state.feed.defined()
                                          ? advance(word + layers_[0]->project_context(state.feed, run.execution), run)
                                          : state.layers.back().hidden;
            state.feed = look(state.layers.back().hidden, run);
            run.outputs.push_back(output);
            return;
        }
        case AttendWhen::between: {
            const RecurrentState half = layers_[0]->step(word, state.layers[0], run.masks[0], run.execution);
            const at::Tensor context = look(half.hidden, run);
            state.layers[0] =
                conditional_->step(conditional_->project(context, run.execution), half, run.masks[0], run.execution);
            run.outputs.push_back(advance_above(run));
            return;
        }
        case AttendWhen::after: {
            if (!config_.input_feeding) {
                run.outputs.push_back(advance(word, run));
                if (attention_->sequential()) {
                    look(run.outputs.back(), run);
                }
                return;
            }
            const at::Tensor output = advance(word + layers_[0]->project_context(state.feed, run.execution), run);
            state.feed = readout_->forward(output, at::Tensor(), look(output, run), run.execution);
            run.readouts.push_back(state.feed);
            return;
        }
        case AttendWhen::never:
            run.outputs.push_back(advance(word, run));
            ++state.attention.position;
            return;
    }
}

DecoderSteps Decoder::run(const at::Tensor& embedded, const DecoderMemory& memory, const DecoderState& state,
                          Weights weights, const Execution& execution) const {
    Run run{memory, weights, execution, recurrent_masks(embedded.size(1), embedded, execution.noise), state, {},
            {},     {},      {}};
    const at::Tensor words = state.attention.position == 0 ? with_first_words(embedded, 1) : embedded;
    for (const at::Tensor& word : layers_[0]->project(words, execution).unbind(0)) {
        step(word, run);
    }
    const bool together = config_.attend == AttendWhen::after && !config_.input_feeding && !attention_->sequential();
    return together ? finish_together(run) : finish(words, run);
}

at::Tensor Decoder::run_packed(const at::Tensor& embedded, const PackedRows& rows, const DecoderMemory& memory,
                               const DecoderState& state, const Execution& execution) const {
    if (!additive_ || !has_fused_form(embedded)) {
        const at::Tensor words = unpack(embedded, rows).transpose(0, 1);  // [T,B,E]
        return pack(run(words, memory, state, Weights::unwanted, execution).readouts.transpose(0, 1), rows);
    }
    return run_additive(with_first_words(embedded, rows.counts.front()), rows, memory, state, execution);
}

at::Tensor Decoder::run_additive(const at::Tensor& words, const PackedRows& rows, const DecoderMemory& memory,
                                 const DecoderState& state, const Execution& execution) const {
    const RecurrentCell& cell = *layers_.front();
    const at::Tensor lengths = memory.mask.sum(1).contiguous();
    const std::int64_t* length = lengths.data_ptr<std::int64_t>();
    AdditiveDecoder decoder;
    decoder.projected = cell.project(words, execution);
    decoder.keys = memory.keys;
    decoder.values = memory.values;
    decoder.start = state.layers.front().hidden;
    decoder.query = additive_->weight_query();
    decoder.score = additive_->weight_score();
    decoder.context = cell.weight_ch();
    decoder.recurrent = cell.weight_hh();
    decoder.bias = cell.bias_hh();
    decoder.mask = recurrent_masks(rows.sentences(), words, execution.noise).front();
    decoder.source_lengths.assign(length, length + lengths.numel());
    const AdditiveDecoderStates result = run_additive_decoder(decoder, rows, execution);
    return readout_->forward(result.states, words, result.contexts, execution);
}

DecoderSteps Decoder::finish(const at::Tensor& embedded, Run& run) const {
    DecoderSteps steps;
    const at::Tensor contexts = stack_or_nothing(run.contexts);
    if (!run.readouts.empty()) {
        steps.readouts = at::stack(run.readouts, 0);
    } else if (run.memory.projected) {
        const std::int64_t gates = layers_.front()->weight_ch().size(0);
        steps.readouts = readout_->forward_projected(
            at::stack(run.outputs, 0), embedded, contexts.narrow(2, gates, contexts.size(2) - gates), run.execution);
    } else {
        steps.readouts = readout_->forward(at::stack(run.outputs, 0), embedded, contexts, run.execution);
    }
    steps.weights = stack_or_nothing(run.weights);
    steps.state = std::move(run.state);
    return steps;
}

DecoderSteps Decoder::finish_together(Run& run) const {
    const at::Tensor queries = at::stack(run.outputs, 1);  // [N,T,H]
    const AttentionResult seen =
        attention_->attend(queries, run.memory, run.state.attention, run.weights_wanted, run.execution);
    DecoderSteps steps;
    steps.readouts = readout_->forward(queries, at::Tensor(), seen.context, run.execution).transpose(0, 1);
    steps.weights = seen.weights.defined() ? seen.weights.transpose(0, 1) : seen.weights;
    steps.state = std::move(run.state);
    return steps;
}

std::vector<PartWork> Decoder::work(const BatchShape& on) const {
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
        inputs += layers_[i]->input_work(updates);
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
