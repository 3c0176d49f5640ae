#include <cstdint>
#include <vector>

#include "config/rules.h"

namespace softalign {

namespace {

bool is_recurrent(const EncoderConfig& encoder) {
    return encoder.type == EncoderType::recurrent;
}

bool is_recurrent(const DecoderConfig& decoder) {
    return decoder.type == DecoderType::recurrent;
}

std::int64_t annotation_width(const ModelConfig& m) {
    if (m.encoder.type == EncoderType::none) {
        return m.embedding_size;
    }
    return m.encoder.hidden_size * (is_recurrent(m.encoder) && m.encoder.bidirectional ? 2 : 1);
}

bool scores_by_dot(const AttentionConfig& a) {
    const bool local = a.type == AttentionType::local_m || a.type == AttentionType::local_p;
    return a.type == AttentionType::dot || (local && a.score == ScoreType::dot);
}

bool has_heads(const AttentionConfig& a) {
    return a.type == AttentionType::multi_head || a.type == AttentionType::multi_query ||
           a.type == AttentionType::grouped_query;
}

bool encoder_copies_to_decoder(const ModelConfig& m) {
    return !m.encoder.bidirectional && m.encoder.layers == m.decoder.layers && m.encoder.cell == m.decoder.cell &&
           m.encoder.hidden_size == m.decoder.hidden_size;
}

bool self_attention_divides(const ModelConfig& m) {
    const SelfAttentionConfig& s = m.encoder.self_attention;
    return annotation_width(m) % s.heads == 0 && (s.groups == 0 || s.heads % s.groups == 0);
}

// Whether only a recurrent encoder has what the decoder starts from or attends to.
bool needs_last_state(const ModelConfig& m) {
    const InitialState start = m.decoder.initial_state;
    return start == InitialState::last || start == InitialState::first_backward || start == InitialState::copy ||
           (m.attention.type == AttentionType::none && m.decoder.attend != AttendWhen::never);
}

bool heads_divide(const TransformerConfig& t, std::int64_t width) {
    return width % t.heads == 0 && (t.groups == 0 || t.heads % t.groups == 0);
}

bool transformer_divides(const ModelConfig& m) {
    return (m.encoder.type != EncoderType::transformer || heads_divide(m.transformer, m.encoder.hidden_size)) &&
           (m.decoder.type != DecoderType::transformer || heads_divide(m.transformer, m.decoder.hidden_size));
}

bool readout_fits_tying(const ModelConfig& m) {
    if (!is_recurrent(m.decoder) || m.decoder.readout == ReadoutType::none) {
        return m.tied_embeddings == TiedEmbeddings::none || m.decoder.hidden_size == m.embedding_size;
    }
    return m.tied_embeddings == TiedEmbeddings::none || m.decoder.readout_size == 0 ||
           m.decoder.readout_size == m.embedding_size;
}

EncoderConfig used(const EncoderConfig& given) {
    if (is_recurrent(given)) {
        return given;
    }
    EncoderConfig encoder;
    encoder.type = given.type;
    encoder.layers = given.layers;
    encoder.hidden_size = given.hidden_size;
    encoder.kernel_size = given.kernel_size;
    encoder.reverse_source = given.reverse_source;  // a rule says that this and the next are not ignored
    encoder.self_attention.layers = given.self_attention.layers;
    return encoder;
}

DecoderConfig used(const DecoderConfig& given) {
    if (is_recurrent(given)) {
        return given;
    }
    DecoderConfig decoder;
    decoder.type = given.type;
    decoder.layers = given.layers;
    decoder.hidden_size = given.hidden_size;
    decoder.first_word = given.first_word;
    decoder.reverse_target = given.reverse_target;
    decoder.lexical = given.lexical;
    return decoder;
}

}  // namespace

Config without_ignored(Config config) {
    ModelConfig& model = config.model;
    model.encoder = used(model.encoder);
    model.decoder = used(model.decoder);
    if (is_recurrent(model.decoder)) {
        model.transformer.alignment_layer = 0;
    } else {
        model.attention = {};
    }
    return config;
}

std::vector<Rule> model_rules() {
    return {
        {{"model.tied_embeddings", "vocabulary.joint"},
         "model.tied_embeddings: all needs vocabulary.joint: true; with separate vocabularies use target or none",
         [](const Config& c) {
             return c.model.tied_embeddings == TiedEmbeddings::all && !c.vocabulary.joint &&
                    c.data.source_type == SourceType::text;
         }},
        {{"model.tied_embeddings", "model.decoder.readout_size", "model.embedding_size", "model.decoder.hidden_size"},
         "model.tied_embeddings needs a readout as wide as the embeddings; set model.decoder.readout_size: 0 "
         "(recurrent "
         "decoders), or model.decoder.hidden_size equal to model.embedding_size (Transformers)",
         [](const Config& c) { return !readout_fits_tying(c.model); }},
        {{"model.attention.type", "model.attention.score", "model.decoder.hidden_size", "model.encoder.hidden_size",
          "model.encoder.bidirectional"},
         "the score dot needs model.decoder.hidden_size equal to the width of an annotation, which is "
         "model.encoder.hidden_size, doubled if a recurrent encoder has model.encoder.bidirectional: true, or "
         "model.embedding_size with model.encoder.type: none; general takes any widths",
         [](const Config& c) {
             return scores_by_dot(c.model.attention) && c.model.decoder.hidden_size != annotation_width(c.model);
         }},
        {{"model.attention.type", "model.decoder.attend"},
         "model.attention.type: none needs model.decoder.attend: before or look_generate_update, where the encoder's "
         "last state enters every step, or never",
         [](const Config& c) {
             return c.model.attention.type == AttentionType::none &&
                    (c.model.decoder.attend == AttendWhen::after || c.model.decoder.attend == AttendWhen::between);
         }},
        {{"model.decoder.lexical", "model.attention.type"},
         "model.decoder.lexical needs a model.attention.type other than none, since it reads the words attended to",
         [](const Config& c) { return c.model.decoder.lexical && c.model.attention.type == AttentionType::none; }},
        {{"model.decoder.attend", "model.attention.type"},
         "model.decoder.attend: never needs model.attention.type: none",
         [](const Config& c) {
             return c.model.decoder.attend == AttendWhen::never && c.model.attention.type != AttentionType::none;
         }},
        {{"model.decoder.attend", "model.decoder.initial_state"},
         "model.decoder.attend: never needs a model.decoder.initial_state other than zero, or nothing of the source "
         "reaches the decoder",
         [](const Config& c) {
             return c.model.decoder.attend == AttendWhen::never && c.model.decoder.initial_state == InitialState::zero;
         }},
        {{"model.decoder.readout", "model.decoder.attend", "model.decoder.readout_size"},
         "model.decoder.readout: none needs model.decoder.attend: never and model.decoder.readout_size: 0",
         [](const Config& c) {
             const DecoderConfig& d = c.model.decoder;
             return d.readout == ReadoutType::none && (d.attend != AttendWhen::never || d.readout_size != 0);
         }},
        {{"model.attention.heads", "model.attention.size"},
         "model.attention.heads must divide model.attention.size where model.attention.type is multi_head, multi_query "
         "or "
         "grouped_query",
         [](const Config& c) {
             const AttentionConfig& a = c.model.attention;
             return has_heads(a) && a.size % a.heads != 0;
         }},
        {{"model.attention.groups", "model.attention.heads"},
         "model.attention.groups must divide model.attention.heads where model.attention.type is grouped_query",
         [](const Config& c) {
             const AttentionConfig& a = c.model.attention;
             return a.type == AttentionType::grouped_query && a.heads % a.groups != 0;
         }},
        {{"model.attention.coverage", "model.attention.type"},
         "model.attention.coverage needs model.attention.type: additive",
         [](const Config& c) {
             return c.model.attention.coverage != CoverageType::none &&
                    c.model.attention.type != AttentionType::additive;
         }},
        {{"model.encoder.self_attention.heads", "model.encoder.self_attention.groups", "model.encoder.hidden_size",
          "model.encoder.bidirectional"},
         "model.encoder.self_attention.heads must divide the width of an annotation (model.encoder.hidden_size, "
         "doubled if model.encoder.bidirectional is true), and model.encoder.self_attention.groups must divide the "
         "heads, where model.encoder.self_attention.layers is above 0",
         [](const Config& c) { return c.model.encoder.self_attention.layers > 0 && !self_attention_divides(c.model); }},
        {{"model.layer_norm", "model.encoder.cell", "model.decoder.cell"},
         "model.layer_norm needs gru or lstm units: gru_cho, the unit of the paper, has no normalised form",
         [](const Config& c) {
             return c.model.layer_norm && (c.model.encoder.cell == CellType::gru_cho ||
                                           (c.model.decoder.layer_norm && c.model.decoder.cell == CellType::gru_cho));
         }},
        {{"model.decoder.layer_norm", "model.layer_norm"},
         "model.decoder.layer_norm: false needs model.layer_norm: true; without it, no units are normalised",
         [](const Config& c) { return !c.model.decoder.layer_norm && !c.model.layer_norm; }},
        {{"model.encoder.transition_depth", "model.encoder.cell"},
         "model.encoder.transition_depth above 1 needs gru or gru_cho",
         [](const Config& c) {
             return c.model.encoder.transition_depth > 1 && c.model.encoder.cell == CellType::lstm;
         }},
        {{"model.decoder.transition_depth", "model.decoder.cell"},
         "model.decoder.transition_depth above 1 needs gru or gru_cho",
         [](const Config& c) {
             return c.model.decoder.transition_depth > 1 && c.model.decoder.cell == CellType::lstm;
         }},
        {{"model.decoder.initial_state", "model.encoder.bidirectional"},
         "model.decoder.initial_state: first_backward needs model.encoder.bidirectional: true",
         [](const Config& c) {
             return c.model.decoder.initial_state == InitialState::first_backward && !c.model.encoder.bidirectional;
         }},
        {{"model.decoder.initial_state", "model.encoder.bidirectional", "model.encoder.layers", "model.decoder.layers",
          "model.encoder.cell", "model.decoder.cell", "model.encoder.hidden_size", "model.decoder.hidden_size"},
         "model.decoder.initial_state: copy needs an encoder in one direction (model.encoder.bidirectional: false) "
         "with "
         "the decoder's layers, cell and hidden_size",
         [](const Config& c) {
             return is_recurrent(c.model.encoder) && c.model.decoder.initial_state == InitialState::copy &&
                    !encoder_copies_to_decoder(c.model);
         }},
        {{"model.decoder.readout_state", "model.decoder.attend"},
         "model.decoder.readout_state: previous needs model.decoder.attend: before",
         [](const Config& c) {
             return c.model.decoder.readout_state == ReadoutState::previous &&
                    c.model.decoder.attend != AttendWhen::before;
         }},
        {{"model.encoder.type", "model.decoder.initial_state", "model.attention.type"},
         "only a recurrent encoder has a last state: with another model.encoder.type and a recurrent decoder, set "
         "model.decoder.initial_state to mean or zero, and a model.attention.type other than none unless "
         "model.decoder.attend is never",
         [](const Config& c) { return !is_recurrent(c.model.encoder) && needs_last_state(c.model); }},
        {{"model.encoder.type", "model.encoder.reverse_source", "model.encoder.self_attention.layers"},
         "model.encoder.reverse_source and model.encoder.self_attention are for model.encoder.type: recurrent",
         [](const Config& c) {
             const EncoderConfig& e = c.model.encoder;
             return !is_recurrent(e) && (e.reverse_source || e.self_attention.layers > 0);
         }},
        {{"model.transformer.heads", "model.transformer.groups", "model.encoder.type", "model.encoder.hidden_size",
          "model.decoder.type", "model.decoder.hidden_size"},
         "model.transformer.heads must divide the hidden_size of a Transformer encoder and of a Transformer decoder, "
         "and "
         "model.transformer.groups must divide the heads",
         [](const Config& c) { return !transformer_divides(c.model); }},
        {{"model.transformer.alignment_layer", "model.decoder.type", "model.decoder.layers"},
         "model.transformer.alignment_layer is beyond model.decoder.layers",
         [](const Config& c) { return c.model.transformer.alignment_layer > c.model.decoder.layers; }},
        {{"model.encoder.residual", "model.encoder.layers"},
         "model.encoder.residual needs model.encoder.layers of 2 or more",
         [](const Config& c) { return c.model.encoder.residual && c.model.encoder.layers < 2; }},
        {{"model.encoder.alternating", "model.encoder.bidirectional", "model.encoder.layers"},
         "model.encoder.alternating needs model.encoder.bidirectional: true and model.encoder.layers of 2 or more",
         [](const Config& c) {
             const EncoderConfig& e = c.model.encoder;
             return e.alternating && (!e.bidirectional || e.layers < 2);
         }},
        {{"model.encoder.alternating", "model.decoder.initial_state"},
         "model.encoder.alternating excludes model.decoder.initial_state: first_backward; use mean or last",
         [](const Config& c) {
             return c.model.encoder.alternating && c.model.decoder.initial_state == InitialState::first_backward;
         }},
        {{"model.decoder.deep_context", "model.decoder.layers", "model.decoder.attend"},
         "model.decoder.deep_context needs model.decoder.layers of 2 or more, and a model.decoder.attend that has a "
         "context before these are updated: before, look_generate_update or between",
         [](const Config& c) {
             const DecoderConfig& d = c.model.decoder;
             return d.deep_context && (d.layers < 2 || d.attend == AttendWhen::after || d.attend == AttendWhen::never);
         }},
        {{"model.decoder.residual", "model.decoder.layers"},
         "model.decoder.residual needs model.decoder.layers of 2 or more",
         [](const Config& c) { return c.model.decoder.residual && c.model.decoder.layers < 2; }},
    };
}

}  // namespace softalign
