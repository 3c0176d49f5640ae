#include "model/transformer/decoder.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ops/packed_rows.h"
#include "ops/to_device.h"

namespace softalign {

class TransformerDecoder::Memory : public DecoderMemory {
public:
    // Rows share the keys and values of their sentence, however many there are.
    MemoryPtr select(const at::Tensor& rows) const override {
        auto result = std::make_shared<Memory>(*this);
        result->begins = select_rows(begins, rows);
        result->lengths = select_rows(lengths, rows);
        return result;
    }

    std::vector<KeysValues> layers;     // of the annotations, sentence after sentence
    std::vector<std::int64_t> begins;   // [N] in them
    std::vector<std::int64_t> lengths;  // [N]
    std::int64_t width = 0;             // S
};

class TransformerDecoder::State : public DecoderState {
public:
    StatePtr select(const at::Tensor& rows) const override {
        auto result = std::make_shared<State>();
        result->position = position;
        for (const KeysValues& layer : layers) {
            const at::Tensor there = to_device(rows, layer.keys.device());
            result->layers.push_back({layer.keys.index_select(0, there), layer.values.index_select(0, there)});
        }
        return result;
    }

    std::int64_t position = 0;       // of the next word
    std::vector<KeysValues> layers;  // of the words before it, each [N,position,g*a]; empty at the start
};

struct TransformerDecoder::Run {
    const Execution& execution;
    const Memory& memory;
    Sequences self;   // each word's keys: its own and those before it
    Sequences cross;  // each word's keys: its sentence's
    // Of the words before this pass, [N,position,g*a] a layer; null: none.
    const State* before = nullptr;
    State* after = nullptr;         // gets those with this pass's; null: unwanted
    at::Tensor* weights = nullptr;  // [P,S]; null: unwanted
};

class TransformerDecoder::Layer : public Part {
public:
    Layer(const ModelConfig& config, std::int64_t annotation_size)
        : place_(config.transformer.norm), drop_(config.dropout.residual) {
        const std::int64_t size = config.decoder.hidden_size;
        const auto attention = [&](std::int64_t memory_size, bool causal) {
            return std::make_shared<TransformerAttention>(config.transformer, size, memory_size, causal,
                                                          config.dropout.attention);
        };
        self_ = add_part("self", attention(size, true));
        norm_self_ = add_part("norm_self", std::make_shared<LayerNorm>(size));
        cross_ = add_part("cross", attention(annotation_size, false));
        norm_cross_ = add_part("norm_cross", std::make_shared<LayerNorm>(size));
        feed_forward_ = add_part("feed_forward",
                                 std::make_shared<FeedForward>(config.transformer, size, config.dropout.feed_forward));
        norm_feed_forward_ = add_part("norm_feed_forward", std::make_shared<LayerNorm>(size));
    }

    KeysValues read(const at::Tensor& annotations, const Execution& execution) const {
        return cross_->read(annotations, execution);
    }

    // x [P,H], the number of the layer
    at::Tensor forward(const at::Tensor& x, std::size_t number, bool aligns, Run& run) const {
        const Execution& execution = run.execution;
        const at::Tensor own = add_sublayer(x, *norm_self_, place_, drop_, execution, [&](const at::Tensor& input) {
            return self_->attend(input, with_past(self_->read(input, execution), number, run), run.self, execution);
        });
        const at::Tensor seen = add_sublayer(own, *norm_cross_, place_, drop_, execution, [&](const at::Tensor& input) {
            return cross_->attend(input, run.memory.layers[number], run.cross, execution, run.memory.width,
                                  aligns ? run.weights : nullptr);
        });
        return add_sublayer(seen, *norm_feed_forward_, place_, drop_, execution,
                            [&](const at::Tensor& input) { return feed_forward_->forward(input, execution); });
    }

    double self_work(const BatchShape& on) const {
        return self_->reading_work(on.targets()) +
               self_->attending_work(on.targets(), on.targets() * (on.target + 1) / 2);
    }
    double keys_work(const BatchShape& on) const { return cross_->reading_work(on.sources()); }
    double cross_work(const BatchShape& on) const { return cross_->attending_work(on.targets(), on.pairs()); }
    double feed_forward_work(const BatchShape& on) const { return feed_forward_->work(on.targets()); }

private:
    // The keys and values of the words so far, row after row. now [N*T,g*a].
    static KeysValues with_past(KeysValues now, std::size_t number, Run& run) {
        if (run.after == nullptr) {
            return now;
        }
        const auto rows = static_cast<std::int64_t>(run.self.query_begin.size());
        const auto joined = [&](const at::Tensor& fresh, const at::Tensor* past) {
            const at::Tensor steps = fresh.view({rows, -1, fresh.size(1)});
            return past == nullptr ? steps : at::cat({*past, steps}, 1);
        };
        const KeysValues* const past =
            run.before != nullptr && !run.before->layers.empty() ? &run.before->layers[number] : nullptr;
        run.after->layers.push_back({joined(now.keys, past == nullptr ? nullptr : &past->keys),
                                     joined(now.values, past == nullptr ? nullptr : &past->values)});
        return {run.after->layers.back().keys.flatten(0, 1), run.after->layers.back().values.flatten(0, 1)};
    }

    NormPlace place_;
    double drop_;
    std::shared_ptr<TransformerAttention> self_;
    std::shared_ptr<LayerNorm> norm_self_;
    std::shared_ptr<TransformerAttention> cross_;
    std::shared_ptr<LayerNorm> norm_cross_;
    std::shared_ptr<FeedForward> feed_forward_;
    std::shared_ptr<LayerNorm> norm_feed_forward_;
};

TransformerDecoder::TransformerDecoder(const ModelConfig& config, std::int64_t annotation_size)
    : config_(config.decoder),
      alignment_layer_(
          (config.transformer.alignment_layer > 0 ? config.transformer.alignment_layer : config.decoder.layers) - 1),
      input_(config, config_.hidden_size, declaring()) {
    const std::int64_t size = config_.hidden_size;
    for (std::int64_t i = 0; i < config_.layers; ++i) {
        layers_.push_back(add_part("layer" + std::to_string(i), std::make_shared<Layer>(config, annotation_size)));
    }
    if (config.transformer.norm == NormPlace::pre) {
        norm_ = add_part("norm", std::make_shared<LayerNorm>(size));
    }
}

MemoryPtr TransformerDecoder::prepare(const Encoded& encoded, const Execution& execution) const {
    const SentenceRows rows = sentence_rows(encoded.lengths, encoded.annotations.size(1), encoded.annotations.device());
    const at::Tensor annotations = pack(encoded.annotations, rows);
    auto memory = std::make_shared<Memory>();
    for (const auto& layer : layers_) {
        memory->layers.push_back(layer->read(annotations, execution));
    }
    memory->begins = rows.begins;
    memory->lengths = rows.lengths;
    memory->width = rows.width;
    return memory;
}

StatePtr TransformerDecoder::start(const Encoded& /*encoded*/, const Execution& /*execution*/) const {
    return std::make_shared<State>();
}

at::Tensor TransformerDecoder::run_layers(at::Tensor x, Run& run) const {
    run.cross.query_begin = run.self.query_begin;
    run.cross.query_length = run.self.query_length;
    run.cross.key_begin = run.memory.begins;
    run.cross.key_length = run.memory.lengths;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        x = layers_[i]->forward(x, i, static_cast<std::int64_t>(i) == alignment_layer_, run);
    }
    return norm_ ? norm_->forward(x) : x;
}

DecoderSteps TransformerDecoder::step(const at::Tensor& embedded, const DecoderMemory& memory,
                                      const DecoderState& state, Weights weights, const Execution& execution) const {
    const std::int64_t steps = embedded.size(0);
    const std::int64_t rows = embedded.size(1);
    const auto& before = dynamic_cast<const State&>(state);
    auto after = std::make_shared<State>();
    after->position = before.position + steps;
    at::Tensor words = embedded.transpose(0, 1);  // [N,T,E]
    if (config_.first_word == FirstWord::zero && before.position == 0) {
        words = at::cat({at::zeros_like(words.narrow(1, 0, 1)), words.narrow(1, 1, steps - 1)}, 1);
    }
    const at::Tensor positions =
        at::arange(before.position, after->position, embedded.options().dtype(at::kLong).requires_grad(false))
            .repeat({rows});
    Run run{execution, dynamic_cast<const Memory&>(memory), {}, {}, &before, after.get()};
    for (std::int64_t row = 0; row < rows; ++row) {
        run.self.query_begin.push_back(row * steps);
        run.self.query_length.push_back(steps);
        run.self.key_begin.push_back(row * after->position);
        run.self.key_length.push_back(after->position);
    }
    at::Tensor seen;
    run.weights = weights == Weights::wanted ? &seen : nullptr;
    const at::Tensor readouts =
        run_layers(input_(words.reshape({rows * steps, -1}), positions, after->position, execution), run);
    const auto by_time = [&](const at::Tensor& x) { return x.view({rows, steps, -1}).transpose(0, 1); };
    return {by_time(readouts), seen.defined() ? by_time(seen) : seen, std::move(after)};
}

TaughtSteps TransformerDecoder::teacher_forced(const TaughtWords& taught, const DecoderMemory& memory,
                                               const DecoderState& state, const Execution& execution) const {
    if (dynamic_cast<const State&>(state).position != 0) {
        return Decoder::teacher_forced(taught, memory, state, execution);
    }
    const PackedRows& packed = taught.rows;
    std::vector<std::int64_t> lengths(packed.order.size());
    for (std::size_t row = 0; row < packed.order.size(); ++row) {
        lengths[static_cast<std::size_t>(packed.order[row])] = packed.lengths[row];
    }
    const SentenceRows rows = sentence_rows(lengths, packed.width, taught.embedded.device());
    at::Tensor words = by_sentences(taught.embedded, packed, rows);
    if (config_.first_word == FirstWord::zero) {
        words = words * rows.positions.gt(0).unsqueeze(1).type_as(words);
    }
    Run run{execution, dynamic_cast<const Memory&>(memory), {rows.begins, lengths, rows.begins, lengths}, {}};
    at::Tensor seen;
    run.weights = taught.weights == Weights::wanted ? &seen : nullptr;
    const at::Tensor readouts = run_layers(input_(words, rows.positions, rows.width, execution), run);
    return {by_steps(readouts, rows, packed), seen.defined() ? by_steps(seen, rows, packed) : seen};
}

std::vector<PartWork> TransformerDecoder::work(const BatchShape& on) const {
    double keys = 0.0;
    double self = 0.0;
    double cross = 0.0;
    double feed_forward = 0.0;
    for (const auto& layer : layers_) {
        keys += layer->keys_work(on);
        self += layer->self_work(on);
        cross += layer->cross_work(on);
        feed_forward += layer->feed_forward_work(on);
    }
    return {{"keys", keys},
            {"decoder inputs", input_.work(on.targets())},
            {"decoder self-attention", self},
            {"attention", cross},
            {"decoder feed-forward", feed_forward}};
}

}  // namespace softalign
