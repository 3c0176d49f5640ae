// The variants of the model family that the properties of seq2seq_test.cpp are tested on.
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fixtures.h"

namespace softalign {

namespace {

using Change = std::function<void(ModelConfig&)>;

constexpr const char* order_names[] = {"before", "look_generate_update", "between", "after", "after_feeding"};

// Annotations as wide as the decoder's state, for dot.
ModelConfig small_config() {
    ModelConfig config;
    config.embedding_size = 4;
    config.encoder.hidden_size = 3;
    config.decoder.hidden_size = 6;
    config.attention.size = 4;
    return config;
}

bool makes_sense(const AttentionConfig& attention, Order order) {
    return attention.type != AttentionType::none || order == Order::before || order == Order::look_generate_update;
}

VariantGroup attentions_in(Order order) {
    VariantGroup group{std::string("attentions_") + order_names[static_cast<int>(order)], {}};
    int number = 0;
    for (const NamedAttention& attention : all_attentions()) {
        if (!makes_sense(attention.config, order)) {
            continue;
        }
        constexpr CellType cells[] = {CellType::gru, CellType::gru_cho, CellType::lstm};
        ModelConfig config = small_config();
        config.attention = attention.config;
        config.encoder.cell = cells[(number + 1) % 3];
        config.decoder.cell = cells[number % 3];
        config.decoder.layers = 1 + number / 3 % 2;
        config.decoder.residual = config.decoder.layers > 1;
        config.layer_norm = config.encoder.cell != CellType::gru_cho && config.decoder.cell != CellType::gru_cho;
        set_order(config.decoder, order);
        group.variants.push_back({attention.name, config});
        ++number;
    }
    return group;
}

void self_attention(ModelConfig& config, std::int64_t layers, std::int64_t heads, std::int64_t groups, bool causal) {
    config.encoder.self_attention.layers = layers;
    config.encoder.self_attention.heads = heads;
    config.encoder.self_attention.groups = groups;
    config.encoder.self_attention.causal = causal;
}

VariantGroup parts() {
    const std::vector<std::pair<std::string, Change>> changes = {
        {"reverse bidirectional", [](ModelConfig& c) { c.encoder.reverse_source = true; }},
        {"reverse one direction",
         [](ModelConfig& c) {
             c.encoder.reverse_source = true;
             c.encoder.bidirectional = false;
             c.decoder.initial_state = InitialState::last;
         }},
        {"right to left", [](ModelConfig& c) { c.decoder.reverse_target = true; }},
        {"right to left, after, no first word",
         [](ModelConfig& c) {
             c.decoder.reverse_target = true;
             c.decoder.attend = AttendWhen::after;
             c.decoder.first_word = FirstWord::zero;
             c.encoder.reverse_source = true;
         }},
        {"Cho's unit", [](ModelConfig& c) { c.encoder.cell = c.decoder.cell = CellType::gru_cho; }},
        {"deep encoder", [](ModelConfig& c) { c.encoder.transition_depth = 3; }},
        {"deep encoder and decoder, Cho's unit",
         [](ModelConfig& c) {
             c.encoder.cell = c.decoder.cell = CellType::gru_cho;
             c.encoder.transition_depth = c.decoder.transition_depth = 2;
         }},
        {"deep conditional with layer norm",
         [](ModelConfig& c) {
             c.decoder.attend = AttendWhen::between;
             c.decoder.transition_depth = c.encoder.transition_depth = 2;
             c.layer_norm = true;
         }},
        {"alternating, reversed, without residual sums",
         [](ModelConfig& c) {
             c.encoder.layers = 3;
             c.encoder.alternating = true;
             c.encoder.reverse_source = true;
             c.encoder.cell = CellType::lstm;
             c.decoder.initial_state = InitialState::last;
         }},
        {"BiDeep",
         [](ModelConfig& c) {
             c.encoder.layers = c.decoder.layers = 2;
             c.encoder.transition_depth = c.decoder.transition_depth = 2;
             c.encoder.residual = c.decoder.residual = true;
             c.encoder.alternating = c.decoder.deep_context = true;
             c.decoder.attend = AttendWhen::between;
         }},
        {"BiDeep, layer norm",
         [](ModelConfig& c) {
             c.encoder.layers = c.decoder.layers = 2;
             c.encoder.alternating = c.decoder.deep_context = true;
             c.layer_norm = true;
         }},
        {"deep context, look generate update, lstm",
         [](ModelConfig& c) {
             c.decoder.layers = 2;
             c.decoder.cell = CellType::lstm;
             c.decoder.deep_context = true;
             c.decoder.attend = AttendWhen::look_generate_update;
         }},
        {"self-attention", [](ModelConfig& c) { self_attention(c, 2, 3, 0, false); }},
        {"causal grouped self-attention",
         [](ModelConfig& c) {
             self_attention(c, 1, 2, 1, true);
             c.encoder.self_attention.positions = false;
         }},
        {"maxout", [](ModelConfig& c) { c.decoder.readout = ReadoutType::maxout; }},
        {"maxout after",
         [](ModelConfig& c) {
             c.decoder.readout = ReadoutType::maxout;
             c.decoder.attend = AttendWhen::after;
         }},
        {"no attention at all",
         [](ModelConfig& c) {
             c.attention.type = AttentionType::none;
             c.decoder.attend = AttendWhen::never;
             c.decoder.readout = ReadoutType::none;
         }},
        {"no attention but a readout and no first word",
         [](ModelConfig& c) {
             c.attention.type = AttentionType::none;
             c.decoder.attend = AttendWhen::never;
             c.decoder.first_word = FirstWord::zero;
             c.decoder.cell = CellType::lstm;
             c.decoder.layers = 2;
         }},
        {"no first word", [](ModelConfig& c) { c.decoder.first_word = FirstWord::zero; }},
        {"first backward annotation, lstm",
         [](ModelConfig& c) {
             c.decoder.initial_state = InitialState::first_backward;
             c.decoder.cell = CellType::lstm;
         }},
    };
    VariantGroup group{"parts", {}};
    for (const auto& [name, change] : changes) {
        ModelConfig config = small_config();
        change(config);
        group.variants.push_back({name, config});
    }
    return group;
}

ModelConfig rnnsearch() {
    ModelConfig config = small_config();
    config.encoder.cell = config.decoder.cell = CellType::gru_cho;
    config.decoder.initial_state = InitialState::first_backward;
    config.decoder.readout = ReadoutType::maxout;
    config.decoder.readout_state = ReadoutState::previous;
    config.decoder.first_word = FirstWord::zero;
    return config;
}

ModelConfig luong(AttentionType type, bool feeding) {
    ModelConfig config = small_config();
    config.encoder.cell = config.decoder.cell = CellType::lstm;
    config.encoder.layers = config.decoder.layers = 2;
    config.encoder.bidirectional = false;
    config.encoder.hidden_size = 6;
    config.encoder.reverse_source = true;
    config.decoder.initial_state = InitialState::copy;
    config.decoder.attend = AttendWhen::after;
    config.decoder.input_feeding = feeding;
    config.attention.type = type;
    config.attention.window = 1;
    return config;
}

VariantGroup papers() {
    ModelConfig code = rnnsearch();
    code.decoder.attend = AttendWhen::look_generate_update;
    code.decoder.readout_state = ReadoutState::current;
    ModelConfig rnnenc = code;
    rnnenc.attention.type = AttentionType::none;
    rnnenc.encoder.bidirectional = false;
    rnnenc.encoder.hidden_size = 6;
    rnnenc.decoder.initial_state = InitialState::last;
    ModelConfig nematus = small_config();
    nematus.decoder.attend = AttendWhen::between;
    nematus.layer_norm = true;
    nematus.tied_embeddings = TiedEmbeddings::target;
    ModelConfig nmtpy = nematus;
    nmtpy.decoder.layer_norm = false;
    return {"papers",
            {{"RNNsearch as printed", rnnsearch()},
             {"RNNsearch as in its code", code},
             {"RNNenc", rnnenc},
             {"Luong global location", luong(AttentionType::location, false)},
             {"Luong local-m", luong(AttentionType::local_m, false)},
             {"Luong local-p with feeding", luong(AttentionType::local_p, true)},
             {"Nematus", nematus},
             {"nmtpy", nmtpy}}};
}

std::vector<VariantGroup> make_groups() {
    std::vector<VariantGroup> groups;
    for (const CellType cell : {CellType::gru, CellType::lstm}) {
        for (const Order order : {Order::before, Order::after, Order::after_feeding}) {
            const std::string prefix = cell == CellType::gru ? "gru_" : "lstm_";
            groups.push_back({prefix + order_names[static_cast<int>(order)], all_variants(cell, order)});
        }
    }
    for (const Order order :
         {Order::before, Order::look_generate_update, Order::between, Order::after, Order::after_feeding}) {
        groups.push_back(attentions_in(order));
    }
    groups.push_back(parts());
    groups.push_back(papers());
    for (VariantGroup& group : groups_of_kinds()) {
        groups.push_back(std::move(group));
    }
    return groups;
}

}  // namespace

std::vector<NamedAttention> all_attentions() {
    std::vector<NamedAttention> result;
    const auto add = [&](const std::string& name, AttentionType type,
                         const std::function<void(AttentionConfig&)>& set) {
        AttentionConfig config;
        config.type = type;
        config.size = 4;
        set(config);
        result.push_back({name, config});
    };
    const auto plain = [](AttentionConfig&) {};
    add("additive", AttentionType::additive, plain);
    add("dot", AttentionType::dot, plain);
    add("general", AttentionType::general, plain);
    add("concat", AttentionType::concat, plain);
    add("coverage_sum", AttentionType::additive, [](AttentionConfig& c) { c.coverage = CoverageType::sum; });
    add("coverage_fertility", AttentionType::additive,
        [](AttentionConfig& c) { c.coverage = CoverageType::fertility; });
    add("location", AttentionType::location, [](AttentionConfig& c) { c.positions = 3; });
    constexpr const char* scores[] = {"additive", "dot", "general", "concat"};
    for (int score = 0; score < 4; ++score) {
        const auto set = [score](AttentionConfig& c) {
            c.score = static_cast<ScoreType>(score);
            c.window = 1;
        };
        add(std::string("local_m_") + scores[score], AttentionType::local_m, set);
        add(std::string("local_p_") + scores[score], AttentionType::local_p, set);
    }
    add("scaled_dot", AttentionType::scaled_dot, plain);
    add("multi_head", AttentionType::multi_head, [](AttentionConfig& c) { c.heads = 2; });
    add("multi_query", AttentionType::multi_query, [](AttentionConfig& c) { c.heads = 4; });
    add("grouped_query", AttentionType::grouped_query, [](AttentionConfig& c) {
        c.heads = 4;
        c.groups = 2;
    });
    add("none", AttentionType::none, plain);
    return result;
}

const std::vector<VariantGroup>& variant_groups() {
    static const std::vector<VariantGroup> groups = make_groups();
    return groups;
}

}  // namespace softalign
