#include "benchmark/products.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace softalign {

namespace {

double product(std::int64_t m, std::int64_t k, std::int64_t n) {
    return 2.0 * static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n);
}

std::int64_t gates(CellType type) {
    return type == CellType::lstm ? 4 : 3;
}

// What a mechanism multiplies: `once` a sentence, `steps` in all target steps, and the width of its context.
struct AttentionWork {
    double once = 0.0;
    double steps = 0.0;
    std::int64_t context = 0;
};

struct AttentionSizes {
    std::int64_t query = 0;       // Q
    std::int64_t annotation = 0;  // D
};

double every_pair(const Rectangle& on, std::int64_t width) {
    return product(on.rows * on.target, width, on.source);
}

AttentionWork score_work(ScoreType type, std::int64_t size, const AttentionSizes& widths, const Rectangle& on) {
    const std::int64_t sources = on.rows * on.source;
    const std::int64_t steps = on.rows * on.target;
    AttentionWork work;
    work.context = widths.annotation;
    work.steps = every_pair(on, widths.annotation);  // the weighted mean of the annotations
    switch (type) {
        case ScoreType::additive:
        case ScoreType::concat:
            work.once = product(sources, widths.annotation, size);
            work.steps += product(steps, widths.query, size) + every_pair(on, size);
            break;
        case ScoreType::general:
            work.once = product(sources, widths.annotation, widths.query);
            work.steps += every_pair(on, widths.query);
            break;
        case ScoreType::dot:
            work.steps += every_pair(on, widths.annotation);
            break;
    }
    return work;
}

struct Heads {
    std::int64_t size = 0;
    std::int64_t heads = 1;
    std::int64_t groups = 1;
    bool output = true;
};

AttentionWork heads_work(const Heads& shape, const AttentionSizes& widths, const Rectangle& on) {
    const std::int64_t steps = on.rows * on.target;
    const std::int64_t key_width = shape.groups * (shape.size / shape.heads);
    AttentionWork work;
    work.context = shape.size;
    work.once = 2.0 * product(on.rows * on.source, widths.annotation, key_width);  // keys and values
    work.steps = product(steps, widths.query, shape.size) + 2.0 * every_pair(on, shape.size);
    if (shape.output) {
        work.steps += product(steps, shape.size, shape.size);
    }
    return work;
}

AttentionWork location_work(const AttentionConfig& config, const AttentionSizes& widths, const Rectangle& on) {
    const std::int64_t scored = std::min(on.source, config.positions);
    return {0.0, product(on.rows * on.target, widths.query, scored) + every_pair(on, widths.annotation),
            widths.annotation};
}

AttentionWork additive_work(const AttentionConfig& config, const AttentionSizes& widths, const Rectangle& on) {
    AttentionWork work = score_work(ScoreType::additive, config.size, widths, on);
    if (config.coverage != CoverageType::none) {
        // At the first step nothing is covered.
        work.steps += product(on.rows * std::max<std::int64_t>(on.target - 1, 0), config.size, on.source);
    }
    if (config.coverage == CoverageType::fertility) {
        work.once += product(on.rows * on.source, widths.annotation, 1);
    }
    return work;
}

AttentionWork attention_work(const AttentionConfig& config, const AttentionSizes& widths, const Rectangle& on) {
    switch (config.type) {
        case AttentionType::additive:
            return additive_work(config, widths, on);
        case AttentionType::dot:
            return score_work(ScoreType::dot, config.size, widths, on);
        case AttentionType::general:
            return score_work(ScoreType::general, config.size, widths, on);
        case AttentionType::concat:
            return score_work(ScoreType::concat, config.size, widths, on);
        case AttentionType::location:
            return location_work(config, widths, on);
        case AttentionType::local_m:
            return score_work(config.score, config.size, widths, on);
        case AttentionType::local_p: {
            AttentionWork work = score_work(config.score, config.size, widths, on);
            const std::int64_t steps = on.rows * on.target;
            work.steps += product(steps, widths.query, widths.query) + product(steps, widths.query, 1);
            return work;
        }
        case AttentionType::scaled_dot:
            return heads_work({config.size, 1, 1, false}, widths, on);
        case AttentionType::multi_head:
            return heads_work({config.size, config.heads, config.heads}, widths, on);
        case AttentionType::multi_query:
            return heads_work({config.size, config.heads, 1}, widths, on);
        case AttentionType::grouped_query:
            return heads_work({config.size, config.heads, config.groups}, widths, on);
        case AttentionType::none:
            break;
    }
    return {0.0, 0.0, widths.annotation};
}

struct EncoderWork {
    double inputs = 0.0;
    double states = 0.0;
    double self_attention = 0.0;
    std::int64_t annotation = 0;  // D
};

EncoderWork encoder_work(const ModelConfig& config, const Rectangle& on) {
    const EncoderConfig& encoder = config.encoder;
    const std::int64_t directions = encoder.bidirectional ? 2 : 1;
    const std::int64_t positions = on.rows * on.source;
    const std::int64_t width = directions * gates(encoder.cell) * encoder.hidden_size;
    EncoderWork work;
    work.annotation = directions * encoder.hidden_size;
    for (std::int64_t layer = 0; layer < encoder.layers; ++layer) {
        work.inputs += product(positions, layer == 0 ? config.embedding_size : work.annotation, width);
        work.states += product(positions, encoder.hidden_size, width * encoder.transition_depth);
    }
    const SelfAttentionConfig& self = encoder.self_attention;
    if (self.layers > 0) {
        const Heads shape{work.annotation, self.heads, self.groups > 0 ? self.groups : self.heads};
        const AttentionWork layer =
            heads_work(shape, {work.annotation, work.annotation}, {on.rows, on.source, on.source, 0});
        work.self_attention = static_cast<double>(self.layers) * (layer.once + layer.steps);
    }
    return work;
}

double first_state_work(const DecoderConfig& config, std::int64_t annotation, std::int64_t rows) {
    if (config.initial_state == InitialState::zero || config.initial_state == InitialState::copy) {
        return 0.0;
    }
    const std::int64_t from = config.initial_state == InitialState::first_backward ? annotation / 2 : annotation;
    const std::int64_t width = config.hidden_size * (config.cell == CellType::lstm ? 2 : 1);
    return static_cast<double>(config.layers) * product(rows, from, width);
}

struct DecoderWork {
    double inputs = 0.0;
    double states = 0.0;
};

// `fed`: the width of what the lowest layer reads besides the word, or the conditional unit reads; 0 = nothing.
DecoderWork decoder_work(const ModelConfig& config, std::int64_t fed, const Rectangle& on) {
    const DecoderConfig& decoder = config.decoder;
    const bool between = decoder.attend == AttendWhen::between;
    // An update that follows the word is missing at the first step.
    const bool late = decoder.attend == AttendWhen::look_generate_update;
    const std::int64_t updates = on.rows * std::max<std::int64_t>(on.target - (late ? 1 : 0), 0);
    const std::int64_t hidden = decoder.hidden_size;
    const std::int64_t width = gates(decoder.cell) * hidden;
    // Units a step in all layers; in the lowest one of a conditional decoder the one before the attention and after it
    // the others.
    const std::int64_t units = decoder.layers * decoder.transition_depth + (between ? 1 : 0);
    DecoderWork work;
    work.inputs = product(on.rows * on.target, config.embedding_size, width) + product(updates, fed, width) +
                  static_cast<double>(decoder.layers - 1) * product(updates, hidden, width);
    work.states = static_cast<double>(units) * product(updates, hidden, width);
    return work;
}

std::int64_t readout_size(const ModelConfig& config) {
    if (config.decoder.readout == ReadoutType::none) {
        return config.decoder.hidden_size;
    }
    return config.decoder.readout_size > 0 ? config.decoder.readout_size : config.embedding_size;
}

std::int64_t fed_width(const ModelConfig& config, std::int64_t context) {
    switch (config.decoder.attend) {
        case AttendWhen::after:
            return config.decoder.input_feeding ? readout_size(config) : 0;
        case AttendWhen::never:
            return 0;
        default:
            return context;
    }
}

double readout_work(const ModelConfig& config, std::int64_t context, const Rectangle& on) {
    const DecoderConfig& decoder = config.decoder;
    if (decoder.readout == ReadoutType::none) {
        return 0.0;
    }
    const bool never = decoder.attend == AttendWhen::never;
    const bool reads_word = decoder.attend != AttendWhen::after && !never;
    const std::int64_t read = decoder.hidden_size + (reads_word ? config.embedding_size : 0) + (never ? 0 : context);
    return product(on.rows * on.target, read, readout_size(config) * (decoder.readout == ReadoutType::maxout ? 2 : 1));
}

}  // namespace

std::vector<PartWork> count_products(const ModelConfig& config, const VocabularySizes& sizes, const Rectangle& on) {
    const EncoderWork encoder = encoder_work(config, on);
    const AttentionWork attention =
        attention_work(config.attention, {config.decoder.hidden_size, encoder.annotation}, on);
    const DecoderWork decoder = decoder_work(config, fed_width(config, attention.context), on);
    const bool never = config.decoder.attend == AttendWhen::never;
    return {{"encoder inputs", encoder.inputs},
            {"encoder states", encoder.states},
            {"self-attention", encoder.self_attention},
            {"keys", attention.once},
            {"first state", first_state_work(config.decoder, encoder.annotation, on.rows)},
            {"decoder inputs", decoder.inputs},
            {"decoder states", decoder.states},
            {"attention", never ? 0.0 : attention.steps},
            {"readout", readout_work(config, attention.context, on)},
            {"output", product(on.outputs, readout_size(config), sizes.target)}};
}

double forward_sum(const std::vector<PartWork>& parts) {
    double sum = 0.0;
    for (const PartWork& part : parts) {
        sum += part.forward;
    }
    return sum;
}

void add_work(std::vector<PartWork>& sum, const std::vector<PartWork>& parts) {
    if (sum.empty()) {
        sum = parts;
        return;
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        sum[i].forward += parts[i].forward;
    }
}

Rectangle rectangle_of(const Batch& batch) {
    return {batch.sentences, batch.source_width, batch.target_width, batch.target_tokens()};
}

std::vector<Rectangle> sentences_of(const Batch& batch) {
    std::vector<Rectangle> sentences;
    for (std::size_t b = 0; b < batch.source_lengths.size(); ++b) {
        sentences.push_back({1, batch.source_lengths[b], batch.target_lengths[b], batch.target_lengths[b]});
    }
    return sentences;
}

}  // namespace softalign
