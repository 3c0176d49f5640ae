#include "model/recurrent/encoder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/attention/self_attention.h"
#include "model/stack_input.h"
#include "ops/execution.h"
#include "ops/library_layer.h"
#include "ops/packed_rows.h"
#include "ops/recurrent.h"
#include "ops/to_device.h"

namespace softalign {

namespace {

struct DirectionOutput {
    at::Tensor states;    // [P,H], packed
    RecurrentState last;  // [B,H], a row a sentence in the order of the rows
};

// Of both directions, or of the one there is.
struct LayerOutput {
    at::Tensor states;  // [P,H] or [P,2H], packed
    RecurrentState ahead;
    RecurrentState back;  // undefined with one direction
};

at::Tensor join(const std::vector<at::Tensor>& parts) {
    return parts.front().defined() ? at::cat(parts, 0) : at::Tensor();
}

// From the first step to the last, rows leaving as their sentences end.
DirectionOutput run_ahead(const RecurrentCell& cell, const at::Tensor& projected, const PackedRows& rows,
                          const at::Tensor& drop, const Execution& execution) {
    std::vector<at::Tensor> states;
    std::vector<at::Tensor> ended_hidden;  // the last sentence first
    std::vector<at::Tensor> ended_cell;
    RecurrentState state = cell.zero_state(rows.sentences());
    const auto end_rows = [&](std::int64_t from) {
        const std::int64_t count = state.hidden.size(0) - from;
        if (count > 0) {
            ended_hidden.insert(ended_hidden.begin(), state.hidden.narrow(0, from, count));
            ended_cell.insert(ended_cell.begin(),
                              state.cell.defined() ? state.cell.narrow(0, from, count) : at::Tensor());
            state = state.first(from);
        }
    };
    for (std::int64_t t = 0; t < rows.steps(); ++t) {
        const std::int64_t count = rows.counts[static_cast<std::size_t>(t)];
        end_rows(count);
        state = cell.step(projected.narrow(0, rows.offsets[static_cast<std::size_t>(t)], count), state,
                          drop.defined() ? drop.narrow(0, 0, count) : drop, execution);
        states.push_back(state.hidden);
    }
    end_rows(0);
    return {at::cat(states, 0), {join(ended_hidden), join(ended_cell)}};
}

// From the last step to the first, rows joining where their sentences end.
DirectionOutput run_back(const RecurrentCell& cell, const at::Tensor& projected, const PackedRows& rows,
                         const at::Tensor& drop, const Execution& execution) {
    std::vector<at::Tensor> states(rows.counts.size());
    RecurrentState state = cell.zero_state(0);
    for (std::int64_t t = rows.steps() - 1; t >= 0; --t) {
        const auto step = static_cast<std::size_t>(t);
        const std::int64_t count = rows.counts[step];
        const std::int64_t joining = count - state.hidden.size(0);
        if (joining > 0) {
            const RecurrentState zeros = cell.zero_state(joining);
            state = {at::cat({state.hidden, zeros.hidden}, 0),
                     state.cell.defined() ? at::cat({state.cell, zeros.cell}, 0) : at::Tensor()};
        }
        state = cell.step(projected.narrow(0, rows.offsets[step], count), state,
                          drop.defined() ? drop.narrow(0, 0, count) : drop, execution);
        states[step] = state.hidden;
    }
    return {at::cat(states, 0), state};
}

// One direction of one layer. inputs [P,I].
DirectionOutput run_direction(const RecurrentCell& cell, const at::Tensor& inputs, const PackedRows& rows,
                              Reading direction, double recurrent_dropout, const Execution& execution) {
    const at::Tensor projected = cell.project(inputs, execution);
    at::Tensor drop;
    if (execution.noise != nullptr && recurrent_dropout > 0.0) {
        drop = execution.noise->mask({rows.sentences(), cell.hidden_size()}, recurrent_dropout,
                                     inputs.options().requires_grad(false));
    }
    if (cell.has_sequence_form() && has_fused_form(projected)) {
        const UnitSequence sequence{cell.unit_type(), projected, cell.unit_weights(drop), {}};
        const SequenceStates result = unit_sequence(sequence, rows, direction, execution);
        return {result.states, {result.last.hidden, result.last.cell}};
    }
    return direction == Reading::forwards ? run_ahead(cell, projected, rows, drop, execution)
                                          : run_back(cell, projected, rows, drop, execution);
}

// Whether LibTorch's own operation serves a layer. It knows no mask of the state that enters U.
bool is_library_layer(const RecurrentCell& forward, const RecurrentCell* backward, const at::Tensor& inputs,
                      double recurrent_dropout, const Execution& execution) {
    const CellType type = forward.type();
    return has_library_form(inputs) && (type == CellType::gru || type == CellType::lstm) && forward.is_plain(type) &&
           (backward == nullptr || backward->is_plain(type)) &&
           (execution.noise == nullptr || recurrent_dropout == 0.0);
}

LayerOutput run_as_library_layer(const RecurrentCell& forward, const RecurrentCell* backward, const at::Tensor& inputs,
                                 const PackedRows& rows) {
    LibraryLayer layer{forward.type() == CellType::lstm, forward.weights(), {}};
    if (backward != nullptr) {
        const std::vector<at::Tensor> more = backward->weights();
        layer.weights.insert(layer.weights.end(), more.begin(), more.end());
    }
    const LibraryStates result = run_library_layer(layer, inputs, rows);
    const auto last = [&](std::int64_t direction) {
        return RecurrentState{result.hidden.select(0, direction),
                              layer.is_lstm ? result.cell.select(0, direction) : at::Tensor()};
    };
    return {result.states, last(0), backward != nullptr ? last(1) : RecurrentState()};
}

LayerOutput run_layer(const RecurrentCell& forward, const RecurrentCell* backward, const at::Tensor& inputs,
                      const PackedRows& rows, double recurrent_dropout, const Execution& execution) {
    if (is_library_layer(forward, backward, inputs, recurrent_dropout, execution)) {
        return run_as_library_layer(forward, backward, inputs, rows);
    }
    const DirectionOutput ahead = run_direction(forward, inputs, rows, Reading::forwards, recurrent_dropout, execution);
    if (backward == nullptr) {
        return {ahead.states, ahead.last, {}};
    }
    const DirectionOutput back =
        run_direction(*backward, inputs, rows, Reading::backwards, recurrent_dropout, execution);
    return {at::cat({ahead.states, back.states}, 1), ahead.last, back.last};
}

}  // namespace

RecurrentEncoder::RecurrentEncoder(const ModelConfig& config)
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
            return add_part("layer" + std::to_string(i) + "_" + direction, std::make_shared<RecurrentCell>(shape));
        };
        Layer layer;
        layer.forward = make_cell("forward");
        layer.backward = config_.bidirectional ? make_cell("backward") : nullptr;
        layers_.push_back(layer);
        shape.input_size = config_.alternating ? config_.hidden_size : annotation_size_;
    }
    for (std::int64_t i = 0; i < config_.self_attention.layers; ++i) {
        self_attention_.push_back(add_part("self" + std::to_string(i), std::make_shared<SelfAttentionLayer>(
                                                                           config_.self_attention, annotation_size_)));
    }
}

at::Tensor RecurrentEncoder::run_layers(const at::Tensor& embedded, const PackedRows& rows,
                                        const at::Tensor& summarised, const Execution& execution,
                                        Summary& summary) const {
    if (config_.alternating) {
        return run_stacks(embedded, rows, summarised, execution, summary);
    }
    at::Tensor states = embedded;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        const at::Tensor input = i > 0 ? dropout(states, dropout_.layers, execution.noise) : states;
        const LayerOutput output =
            run_layer(*layers_[i].forward, layers_[i].backward.get(), input, rows, dropout_.recurrent, execution);
        const RecurrentState last = output.ahead.select(summarised);
        summary.last = last.hidden;
        summary.hidden.push_back(last.hidden);
        if (last.cell.defined()) {
            summary.cell.push_back(last.cell);
        }
        if (layers_[i].backward) {
            summary.last = at::cat({summary.last, output.back.hidden.index_select(0, summarised)}, 1);
        }
        states = config_.residual && i > 0 ? output.states + states : output.states;
    }
    return states;
}

at::Tensor RecurrentEncoder::run_stacks(const at::Tensor& embedded, const PackedRows& rows,
                                        const at::Tensor& summarised, const Execution& execution,
                                        Summary& summary) const {
    std::vector<at::Tensor> tops;
    std::vector<at::Tensor> lasts;
    for (const Reading begins : {Reading::forwards, Reading::backwards}) {
        Reading direction = begins;
        at::Tensor states = embedded;
        at::Tensor last;
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            const at::Tensor input = i > 0 ? dropout(states, dropout_.layers, execution.noise) : states;
            const RecurrentCell& cell = begins == Reading::forwards ? *layers_[i].forward : *layers_[i].backward;
            const DirectionOutput output = run_direction(cell, input, rows, direction, dropout_.recurrent, execution);
            states = config_.residual && i > 0 ? output.states + states : output.states;
            last = output.last.hidden;
            direction = direction == Reading::forwards ? Reading::backwards : Reading::forwards;
        }
        tops.push_back(states);
        lasts.push_back(last.index_select(0, summarised));
    }
    summary.last = at::cat(lasts, 1);
    return at::cat(tops, 1);
}

at::Tensor RecurrentEncoder::read_sentences(const SourceBatch& source, const Execution& execution,
                                            Summary& summary) const {
    const PackedRows rows = source.packed(config_.reverse_source ? Reading::backwards : Reading::forwards);
    return unpack(run_layers(pack(source.values, rows), rows, rows.rows_of_sentences(), execution, summary), rows);
}

at::Tensor RecurrentEncoder::read_lines(const SourceBatch& source, const Execution& execution, Summary& summary) const {
    const at::Device device = source.values.device();
    const std::vector<std::int64_t> lengths = source.lines();
    const std::int64_t longest = *std::max_element(lengths.begin(), lengths.end());
    const PackedRows steps = pack_rows(lengths, longest, device);
    const SentenceRows lines = sentence_rows(lengths, longest, device);
    const SentenceRows grids = sentence_rows(source.lengths, source.width(), device);
    std::vector<std::int64_t> last_lines;
    std::int64_t end = 0;
    for (const Grid& grid : source.grids) {
        end += grid.height;
        last_lines.push_back(end - 1);
    }
    const at::Tensor summarised = steps.rows_of_sentences().index_select(0, to_device(last_lines, device));
    const at::Tensor states =
        run_layers(by_steps(pack(source.values, grids), lines, steps), steps, summarised, execution, summary);
    return unpack(by_sentences(states, steps, lines), grids);
}

Encoded RecurrentEncoder::encode(const SourceBatch& source, const Execution& execution) const {
    Encoded result;
    result.lengths = source.lengths;
    result.grids = source.grids;
    result.mask = source.mask();
    const bool planes = source.has_planes();
    at::Tensor& annotations = result.annotations;
    annotations =
        planes ? read_lines(source, execution, result.summary) : read_sentences(source, execution, result.summary);
    if (!self_attention_.empty() && config_.self_attention.positions) {
        if (planes) {
            const SentenceRows rows = sentence_rows(source.lengths, source.width(), annotations.device());
            annotations =
                annotations + unpack(grid_sinusoids(rows, source.grids, annotation_size_, annotations.options()), rows);
        } else {
            annotations = annotations + sinusoids(annotations.size(1), annotation_size_, annotations.options());
        }
    }
    for (const auto& layer : self_attention_) {
        annotations = layer->forward(result, execution);
    }
    if (!self_attention_.empty()) {
        annotations = annotations * result.mask.unsqueeze(2).type_as(annotations);
    }
    return finish_encoding(annotations, source, dropout_.context, execution, std::move(result.summary));
}

std::vector<PartWork> RecurrentEncoder::work(const BatchShape& on) const {
    double inputs = 0.0;
    double states = 0.0;
    double self_attention = 0.0;
    for (const Layer& layer : layers_) {
        for (const auto& cell : {layer.forward, layer.backward}) {
            inputs += cell ? cell->input_work(on.sources()) : 0.0;
            states += cell ? cell->step_work(on.sources()) : 0.0;
        }
    }
    for (const auto& layer : self_attention_) {
        self_attention += layer->work(on);
    }
    return {{"encoder inputs", inputs}, {"encoder states", states}, {"self-attention", self_attention}};
}

}  // namespace softalign
