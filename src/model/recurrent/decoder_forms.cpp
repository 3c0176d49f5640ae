// Teacher forcing of recurrent decoders whose steps run as one function each (ops/recurrent.h).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "model/attention/mechanisms.h"
#include "model/recurrent/decoder.h"
#include "ops/execution.h"
#include "ops/library_layer.h"
#include "ops/packed_rows.h"
#include "ops/recurrent.h"
#include "ops/repeated_weights.h"
#include "ops/to_device.h"

namespace softalign {

namespace {

// All members, so that a new one does not compile before it is here and takes part in the comparison below.
auto members(const DecoderConfig& config) {
    const auto& [type, layers, hidden_size, first_word, reverse_target, lexical, cell, attend, input_feeding,
                 initial_state, readout, readout_state, readout_size, residual, transition_depth, layer_norm,
                 deep_context] = config;
    return std::tie(type, layers, hidden_size, first_word, reverse_target, lexical, cell, attend, input_feeding,
                    initial_state, readout, readout_state, readout_size, residual, transition_depth, layer_norm,
                    deep_context);
}
auto members(const AttentionConfig& config) {
    const auto& [type, size, score, window, positions, heads, groups, coverage] = config;
    return std::tie(type, size, score, window, positions, heads, groups, coverage);
}
auto members(const DropoutConfig& config) {
    const auto& [source_words, target_words, source_embedding, target_embedding, context, output, layers, recurrent,
                 attention, feed_forward, residual] = config;
    return std::tie(source_words, target_words, source_embedding, target_embedding, context, output, layers, recurrent,
                    attention, feed_forward, residual);
}

// Whether a form serves a decoder: the configuration is that of the form but for what the form leaves free or is done
// outside it. An option that is not named here must have its default.

// What is left free by, or done outside, every form.
DecoderConfig decoder_of_forms(const DecoderConfig& config) {
    DecoderConfig form;
    form.readout_state = ReadoutState::current;
    form.transition_depth = 1;
    form.deep_context = false;
    form.cell = config.cell;
    form.hidden_size = config.hidden_size;
    form.initial_state = config.initial_state;
    form.readout = config.readout;
    form.readout_size = config.readout_size;
    form.first_word = config.first_word;
    form.reverse_target = config.reverse_target;
    form.lexical = config.lexical;
    form.layer_norm = config.layer_norm;
    return form;
}

// No step needs the attention of another.
bool has_form_of_layers(const DecoderConfig& config) {
    DecoderConfig form = decoder_of_forms(config);
    form.layers = config.layers;
    form.residual = config.residual;
    form.attend = config.attend == AttendWhen::never ? AttendWhen::never : AttendWhen::after;
    form.input_feeding = config.attend == AttendWhen::never && config.input_feeding;  // ignored there
    return members(config) == members(form);
}

bool has_additive_form(const ModelConfig& config) {
    DecoderConfig decoder = decoder_of_forms(config.decoder);
    decoder.layers = 1;
    decoder.attend = config.decoder.attend == AttendWhen::between ? AttendWhen::between : AttendWhen::before;
    decoder.input_feeding = config.decoder.input_feeding;  // ignored with both
    AttentionConfig attention;
    attention.type = AttentionType::additive;
    attention.coverage = CoverageType::none;
    attention.size = config.attention.size;
    attention.score = config.attention.score;  // this and the next four are ignored by additive attention
    attention.window = config.attention.window;
    attention.positions = config.attention.positions;
    attention.heads = config.attention.heads;
    attention.groups = config.attention.groups;
    DropoutConfig dropout;
    dropout.source_words = config.dropout.source_words;
    dropout.target_words = config.dropout.target_words;
    dropout.source_embedding = config.dropout.source_embedding;
    dropout.target_embedding = config.dropout.target_embedding;
    dropout.context = config.dropout.context;
    dropout.output = config.dropout.output;
    dropout.layers = config.dropout.layers;  // acts between layers, of which there is one
    dropout.recurrent = config.dropout.recurrent;
    dropout.attention = config.dropout.attention;  // this and the next two are of Transformer layers
    dropout.feed_forward = config.dropout.feed_forward;
    dropout.residual = config.dropout.residual;
    return members(config.decoder) == members(decoder) && members(config.attention) == members(attention) &&
           members(config.dropout) == members(dropout);
}

}  // namespace

void RecurrentDecoder::choose_form(const ModelConfig& config) {
    const bool in_sequence =
        std::all_of(layers_.begin(), layers_.end(), [](const auto& cell) { return cell->has_sequence_form(); }) &&
        (!conditional_ || conditional_->has_sequence_form());
    if (in_sequence && has_additive_form(config)) {
        form_ = Form::additive;
    } else if (in_sequence && has_form_of_layers(config.decoder) && !attention_->sequential()) {
        form_ = Form::layers;
    }
}

// On devices: LibTorch has all units, and its own layers know no mask before U.
bool RecurrentDecoder::has_library_form_of(Form form, const Execution& execution) const {
    const auto is_library_unit = [](const auto& cell) {
        return cell->is_plain(CellType::gru) || cell->is_plain(CellType::lstm);
    };
    return std::all_of(layers_.begin(), layers_.end(), is_library_unit) &&
           (!conditional_ || is_library_unit(conditional_)) &&
           (form == Form::additive || execution.noise == nullptr || dropout_.recurrent == 0.0);
}

TaughtSteps RecurrentDecoder::teacher_forced(const TaughtWords& words, const DecoderMemory& memory,
                                             const DecoderState& state, const Execution& execution) const {
    const bool runs_form =
        has_fused_form(words.embedded) || (has_library_form(words.embedded) && has_library_form_of(form_, execution));
    if (form_ != Form::steps && !runs_form) {
        return Decoder::teacher_forced(words, memory, state, execution);
    }
    const TaughtWords from_first{with_first_words(words.embedded, words.rows.counts.front()), words.rows,
                                 words.weights};
    const auto& read = dynamic_cast<const RecurrentMemory&>(memory);
    const auto& start = dynamic_cast<const RecurrentDecoderState&>(state);
    switch (form_) {
        case Form::additive:
            return run_additive(from_first, read.attention, start.layers.front(), execution);
        case Form::layers:
            return run_layers(from_first, read.attention, start, execution);
        case Form::steps:
            break;
    }
    return run_steps(from_first, read, start, execution);
}

TaughtSteps RecurrentDecoder::run_additive(const TaughtWords& taught, const AttentionMemory& memory,
                                           const RecurrentState& start, const Execution& execution) const {
    const at::Tensor& words = taught.embedded;
    const PackedRows& rows = taught.rows;
    const RecurrentCell& cell = *layers_.front();
    const auto additive = std::dynamic_pointer_cast<AdditiveAttention>(attention_);
    AdditiveDecoder decoder;
    decoder.type = cell.unit_type();
    decoder.projected = cell.project(words, execution);
    decoder.keys = memory.keys;
    decoder.values = memory.values;
    decoder.start = {start.hidden, start.cell};
    decoder.query = additive->weight_query();
    decoder.score = additive->weight_score();
    decoder.context = cell.weight_ch();
    decoder.norm = cell.norm_ch();
    decoder.unit = cell.unit_weights(recurrent_masks(rows.sentences(), words, execution.noise).front());
    if (conditional_) {
        decoder.first = decoder.unit;
        decoder.unit = conditional_->unit_weights(decoder.first.mask);
        decoder.context = conditional_->weight_ih();
        decoder.bias = conditional_->bias_ih();
        decoder.norm = conditional_->norm_ih();
    }
    decoder.source_lengths = memory.lengths;
    const AdditiveDecoderStates result = run_additive_decoder(decoder, rows, execution);
    return {readout_->forward(result.states, words, result.contexts, execution), result.weights};
}

std::vector<at::Tensor> RecurrentDecoder::masks_between_layers(const PackedRows& rows,
                                                               const Execution& execution) const {
    std::vector<at::Tensor> packed(layers_.size());
    if (execution.noise == nullptr || dropout_.layers == 0.0) {
        return packed;
    }
    const at::TensorOptions options = layers_.front()->zero_state(0).hidden.options();
    std::vector<std::vector<at::Tensor>> masks(layers_.size());
    for (std::int64_t t = 0; t < rows.width; ++t) {
        for (std::size_t i = 1; i < layers_.size(); ++i) {
            masks[i].push_back(
                execution.noise->mask({rows.sentences(), config_.hidden_size}, dropout_.layers, options));
        }
    }
    for (std::size_t i = 1; i < layers_.size(); ++i) {
        packed[i] = pack(at::stack(masks[i], 1), rows);
    }
    return packed;
}

TaughtSteps RecurrentDecoder::run_layers(const TaughtWords& taught, const AttentionMemory& memory,
                                         const RecurrentDecoderState& start, const Execution& execution) const {
    const PackedRows& rows = taught.rows;
    const std::vector<at::Tensor> masks = recurrent_masks(rows.sentences(), taught.embedded, execution.noise);
    const std::vector<at::Tensor> between = masks_between_layers(rows, execution);
    const at::Tensor order = to_device(rows.order, taught.embedded.device());
    const bool as_library = has_library_form(taught.embedded);
    at::Tensor output = taught.embedded;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        const RecurrentCell& cell = *layers_[i];
        const at::Tensor input = between[i].defined() ? output * between[i] : output;
        const RecurrentState first = start.layers[i].select(order);
        const UnitState before{first.hidden, first.cell};
        at::Tensor states;
        if (as_library) {
            states = run_library_layer({cell.type() == CellType::lstm, cell.weights(), before}, input, rows).states;
        } else {
            const UnitSequence layer{cell.unit_type(), cell.project(input, execution),
                                     cell.unit_weights(select_rows(masks[i], order)), before};
            states = unit_sequence(layer, rows, Reading::forwards, execution).states;
        }
        output = config_.residual && i > 0 ? states + output : states;
    }
    if (config_.attend == AttendWhen::never) {
        return {readout_->forward(output, taught.embedded, at::Tensor(), execution), at::Tensor()};
    }
    return attend_together(output, taught, memory, start.attention, execution);
}

TaughtSteps RecurrentDecoder::attend_together(const at::Tensor& outputs, const TaughtWords& taught,
                                              const AttentionMemory& memory, AttentionState state,
                                              const Execution& execution) const {
    const PackedRows& rows = taught.rows;
    const AttentionResult seen = attention_->attend(unpack(outputs, rows), memory, state, taught.weights, execution);
    return {readout_->forward(outputs, at::Tensor(), pack(seen.context, rows), execution),
            taught.weights == Weights::wanted && seen.weights.defined() ? pack(seen.weights, rows) : at::Tensor()};
}

TaughtSteps RecurrentDecoder::run_steps(const TaughtWords& taught, const RecurrentMemory& memory,
                                        const RecurrentDecoderState& start, const Execution& execution) const {
    const PackedRows& rows = taught.rows;
    const at::Tensor order_of_host = at::tensor(rows.order, at::kLong);
    const at::Tensor order = to_device(order_of_host, taught.embedded.device());
    RepeatedWeights repeated;
    Execution of_steps = execution;
    of_steps.repeated = &repeated;
    std::vector<at::Tensor> masks = recurrent_masks(rows.sentences(), taught.embedded, execution.noise);
    for (at::Tensor& mask : masks) {
        mask = select_rows(mask, order);
    }
    const StatePtr first = start.select(order);
    Run run{RecurrentMemory(memory.attention.select(order_of_host), false, memory.projected),
            taught.weights,
            of_steps,
            masks,
            dynamic_cast<const RecurrentDecoderState&>(*first),
            {},
            {},
            {},
            {}};
    for (const at::Tensor& word : layers_[0]->project(taught.embedded, execution).split_with_sizes(rows.counts)) {
        run.keep_first(word.size(0));
        take_step(word, run);
    }
    const auto joined = [](const std::vector<at::Tensor>& steps) {
        return !steps.empty() && steps.front().defined() ? at::cat(steps) : at::Tensor();
    };
    if (attends_together()) {
        return attend_together(joined(run.outputs), taught, memory.attention, start.attention, execution);
    }
    const bool fed = !run.readouts.empty();
    return {fed ? joined(run.readouts)
                : readout_->forward(joined(run.outputs), taught.embedded, joined(run.contexts), execution),
            taught.weights == Weights::wanted ? joined(run.weights) : at::Tensor()};
}

}  // namespace softalign
