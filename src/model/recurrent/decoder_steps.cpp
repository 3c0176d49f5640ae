// The steps of a recurrent decoder, one after another.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "model/recurrent/decoder.h"
#include "ops/execution.h"
#include "ops/packed_rows.h"

namespace softalign {

namespace {

at::Tensor stack_or_nothing(const std::vector<at::Tensor>& steps) {
    return !steps.empty() && steps.front().defined() ? at::stack(steps, 0) : at::Tensor();
}

}  // namespace

void RecurrentDecoder::Run::keep_first(std::int64_t count) {
    if (count == state.layers.front().hidden.size(0)) {
        return;
    }
    state = state.first(count);
    memory.attention = memory.attention.first(count);
    for (at::Tensor& mask : masks) {
        mask = first_rows(mask, count);
    }
}

at::Tensor RecurrentDecoder::look(const at::Tensor& query, Run& run) const {
    const AttentionResult seen = attention_->attend(query.unsqueeze(1), run.memory.attention, run.state.attention,
                                                    run.weights_wanted, run.execution);
    run.weights.push_back(seen.weights.defined() ? seen.weights.squeeze(1) : at::Tensor());
    run.contexts.push_back(seen.context.squeeze(1));
    return run.contexts.back();
}

at::Tensor RecurrentDecoder::advance(const at::Tensor& projected, const at::Tensor& context, Run& run) const {
    run.state.layers[0] = layers_[0]->step(projected, run.state.layers[0], run.masks[0], run.execution);
    return advance_above(context, run);
}

at::Tensor RecurrentDecoder::advance_above(const at::Tensor& context, Run& run) const {
    at::Tensor output = run.state.layers[0].hidden;
    for (std::size_t i = 1; i < layers_.size(); ++i) {
        RecurrentState& layer = run.state.layers[i];
        at::Tensor input = layers_[i]->project(dropout(output, dropout_.layers, run.execution.noise), run.execution);
        if (config_.deep_context) {
            input = input + layers_[i]->project_context(context, run.execution);
        }
        layer = layers_[i]->step(input, layer, run.masks[i], run.execution);
        output = config_.residual ? layer.hidden + output : layer.hidden;
    }
    return output;
}

void RecurrentDecoder::take_step(const at::Tensor& word, Run& run) const {
    RecurrentDecoderState& state = run.state;
    switch (config_.attend) {
        case AttendWhen::before: {
            const at::Tensor previous = state.layers.back().hidden;
            const at::Tensor context = look(previous, run);
            const at::Tensor projected = run.memory.projected ? context.narrow(1, 0, word.size(1))
                                                              : layers_[0]->project_context(context, run.execution);
            const at::Tensor output = advance(word + projected, context, run);
            run.outputs.push_back(config_.readout_state == ReadoutState::previous ? previous : output);
            return;
        }
        case AttendWhen::look_generate_update: {
            const at::Tensor output =
                state.feed.defined()
                    ? advance(word + layers_[0]->project_context(state.feed, run.execution), state.feed, run)
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
            run.outputs.push_back(advance_above(context, run));
            return;
        }
        case AttendWhen::after: {
            if (!config_.input_feeding) {
                run.outputs.push_back(advance(word, at::Tensor(), run));
                if (attention_->sequential()) {
                    look(run.outputs.back(), run);
                }
                return;
            }
            const at::Tensor output =
                advance(word + layers_[0]->project_context(state.feed, run.execution), at::Tensor(), run);
            state.feed = readout_->forward(output, at::Tensor(), look(output, run), run.execution);
            run.readouts.push_back(state.feed);
            return;
        }
        case AttendWhen::never:
            run.outputs.push_back(advance(word, at::Tensor(), run));
            ++state.attention.position;
            return;
    }
}

DecoderSteps RecurrentDecoder::step(const at::Tensor& embedded, const DecoderMemory& memory, const DecoderState& state,
                                    Weights weights, const Execution& execution) const {
    const auto& from = dynamic_cast<const RecurrentDecoderState&>(state);
    Run run{dynamic_cast<const RecurrentMemory&>(memory),
            weights,
            execution,
            recurrent_masks(embedded.size(1), embedded, execution.noise),
            from,
            {},
            {},
            {},
            {}};
    const at::Tensor words = from.attention.position == 0 ? with_first_words(embedded, 1) : embedded;
    for (const at::Tensor& word : layers_[0]->project(words, execution).unbind(0)) {
        take_step(word, run);
    }
    return attends_together() ? finish_together(run) : finish(words, run);
}

DecoderSteps RecurrentDecoder::finish(const at::Tensor& embedded, Run& run) const {
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
    steps.state = std::make_shared<RecurrentDecoderState>(std::move(run.state));
    return steps;
}

DecoderSteps RecurrentDecoder::finish_together(Run& run) const {
    const at::Tensor queries = at::stack(run.outputs, 1);  // [N,T,H]
    const AttentionResult seen =
        attention_->attend(queries, run.memory.attention, run.state.attention, run.weights_wanted, run.execution);
    DecoderSteps steps;
    steps.readouts = readout_->forward(queries, at::Tensor(), seen.context, run.execution).transpose(0, 1);
    steps.weights = seen.weights.defined() ? seen.weights.transpose(0, 1) : seen.weights;
    steps.state = std::make_shared<RecurrentDecoderState>(std::move(run.state));
    return steps;
}

}  // namespace softalign
