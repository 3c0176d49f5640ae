// Transformer encoders and decoders, convolutional encoders, and each with the others, among the variants of
// variants.cpp.
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fixtures.h"

namespace softalign {

namespace {

using KindChange = std::function<void(ModelConfig&)>;

// Both sides and the embeddings of one width, so that tables can be tied.
ModelConfig small_kind(EncoderType encoder, DecoderType decoder) {
    ModelConfig config;
    config.embedding_size = 6;
    config.encoder.type = encoder;
    config.encoder.hidden_size = encoder == EncoderType::recurrent ? 3 : 6;
    config.decoder.type = decoder;
    config.decoder.hidden_size = 6;
    config.attention.size = 4;
    config.positions.size = 4;  // less than the longest sentence
    config.transformer.heads = 2;
    config.transformer.feed_forward_size = 5;
    return config;
}

VariantGroup changed(const std::string& name, EncoderType encoder, DecoderType decoder,
                     const std::vector<std::pair<std::string, KindChange>>& changes) {
    VariantGroup group{name, {}};
    for (const auto& [variant, change] : changes) {
        ModelConfig config = small_kind(encoder, decoder);
        change(config);
        group.variants.push_back({variant, config});
    }
    return group;
}

const char* activation_name(Activation activation) {
    return activation == Activation::relu ? "relu" : (activation == Activation::gelu ? "gelu" : "swiglu");
}

// Norms and feed-forward layers; groups, positions, tying and the layer of alignments are spread over them.
VariantGroup transformers() {
    VariantGroup group{"transformers", {}};
    int number = 0;
    for (const NormPlace norm : {NormPlace::pre, NormPlace::post}) {
        for (const Activation activation : {Activation::relu, Activation::gelu, Activation::swiglu}) {
            for (const std::int64_t groups : {0, 1, 2, 4}) {
                ModelConfig config = small_kind(EncoderType::transformer, DecoderType::transformer);
                config.embedding_size = number % 3 == 2 ? 8 : 5;
                config.tied_embeddings = number % 3 == 2 ? TiedEmbeddings::all : TiedEmbeddings::none;
                config.encoder.hidden_size = number % 2 == 0 ? 8 : 4;
                config.decoder.hidden_size = 8;
                config.encoder.layers = 1 + number % 2;
                config.decoder.layers = 1 + number / 2 % 2;
                config.positions.type = number % 5 < 2 ? PositionType::learned : PositionType::sinusoidal;
                config.transformer.heads = 4;
                config.transformer.groups = groups;
                config.transformer.norm = norm;
                config.transformer.activation = activation;
                config.transformer.alignment_layer = number % 4 == 0 ? 1 : 0;
                config.decoder.first_word = number % 7 == 3 ? FirstWord::zero : FirstWord::bos;
                const std::string place = norm == NormPlace::pre ? "pre " : "post ";
                group.variants.push_back({place + activation_name(activation) + " " + std::to_string(groups), config});
                ++number;
            }
        }
    }
    ModelConfig backwards = small_kind(EncoderType::transformer, DecoderType::transformer);
    backwards.decoder.reverse_target = true;
    backwards.transformer.heads = 1;
    group.variants.push_back({"right to left", backwards});
    return group;
}

VariantGroup under_a_transformer() {
    return changed("under_a_transformer", EncoderType::recurrent, DecoderType::transformer,
                   {{"gru", [](ModelConfig& c) { c.decoder.layers = 2; }},
                    {"reversed lstm of two layers",
                     [](ModelConfig& c) {
                         c.encoder.cell = CellType::lstm;
                         c.encoder.layers = 2;
                         c.encoder.residual = true;
                         c.encoder.reverse_source = true;
                         c.transformer.norm = NormPlace::post;
                     }},
                    {"self-attention over narrow annotations", [](ModelConfig& c) {
                         c.encoder.bidirectional = false;
                         c.encoder.hidden_size = 2;
                         c.encoder.self_attention.layers = 1;
                         c.encoder.self_attention.heads = 2;
                         c.transformer.groups = 1;
                     }}});
}

VariantGroup transformer_encoders() {
    return changed("transformer_encoders", EncoderType::transformer, DecoderType::recurrent,
                   {{"additive", [](ModelConfig& c) { c.encoder.layers = 2; }},
                    {"additive, wide and learned",
                     [](ModelConfig& c) {
                         c.encoder.hidden_size = 8;
                         c.positions.type = PositionType::learned;
                         c.transformer.norm = NormPlace::post;
                         c.transformer.groups = 1;
                     }},
                    {"conditional with layer norm",
                     [](ModelConfig& c) {
                         c.decoder.attend = AttendWhen::between;
                         c.layer_norm = true;
                         c.transformer.activation = Activation::swiglu;
                     }},
                    {"Luong",
                     [](ModelConfig& c) {
                         c.decoder.cell = CellType::lstm;
                         c.decoder.layers = 2;
                         c.decoder.attend = AttendWhen::after;
                         c.decoder.initial_state = InitialState::zero;
                         c.attention.type = AttentionType::local_m;
                         c.attention.window = 1;
                     }},
                    {"without attention", [](ModelConfig& c) {
                         c.decoder.attend = AttendWhen::never;
                         c.attention.type = AttentionType::none;
                     }}});
}

VariantGroup convolutional_encoders() {
    return changed("convolutional_encoders", EncoderType::convolutional, DecoderType::recurrent,
                   {{"additive", [](ModelConfig& c) { c.encoder.layers = 2; }},
                    {"projected, learned, tied",
                     [](ModelConfig& c) {
                         c.encoder.hidden_size = 5;
                         c.positions.type = PositionType::learned;
                         c.tied_embeddings = TiedEmbeddings::target;
                     }},
                    {"wider than the sentences",
                     [](ModelConfig& c) {
                         c.encoder.kernel_size = 9;
                         c.encoder.layers = 3;
                         c.attention.type = AttentionType::multi_head;
                         c.attention.heads = 2;
                     }},
                    {"of one position, with coverage", [](ModelConfig& c) {
                         c.encoder.kernel_size = 1;
                         c.decoder.cell = CellType::lstm;
                         c.decoder.attend = AttendWhen::look_generate_update;
                         c.attention.coverage = CoverageType::fertility;
                     }}});
}

VariantGroup convolution_under_a_transformer() {
    return changed(
        "convolution_under_a_transformer", EncoderType::convolutional, DecoderType::transformer,
        {{"pre", [](ModelConfig& c) { c.encoder.layers = 2; }}, {"post, learned, of another width", [](ModelConfig& c) {
                                                                     c.encoder.hidden_size = 5;
                                                                     c.encoder.kernel_size = 5;
                                                                     c.decoder.layers = 2;
                                                                     c.positions.type = PositionType::learned;
                                                                     c.transformer.norm = NormPlace::post;
                                                                     c.transformer.activation = Activation::gelu;
                                                                 }}});
}

// Beside decoders of every order, and with mechanisms of every family.
VariantGroup lexical_models() {
    VariantGroup group = changed("lexical_models", EncoderType::recurrent, DecoderType::recurrent,
                                 {{"additive, untied", [](ModelConfig& c) { c.decoder.readout_size = 3; }},
                                  {"additive, tied", [](ModelConfig& c) { c.tied_embeddings = TiedEmbeddings::all; }},
                                  {"conditional with coverage",
                                   [](ModelConfig& c) {
                                       c.decoder.attend = AttendWhen::between;
                                       c.attention.coverage = CoverageType::fertility;
                                       c.encoder.reverse_source = true;
                                   }},
                                  {"multi-head after with feeding",
                                   [](ModelConfig& c) {
                                       c.decoder.attend = AttendWhen::after;
                                       c.decoder.cell = CellType::lstm;
                                       c.decoder.layers = 2;
                                       c.attention.type = AttentionType::multi_head;
                                       c.attention.heads = 2;
                                       c.tied_embeddings = TiedEmbeddings::target;
                                   }},
                                  {"local-p after, right to left",
                                   [](ModelConfig& c) {
                                       c.decoder.attend = AttendWhen::after;
                                       c.decoder.input_feeding = false;
                                       c.decoder.reverse_target = true;
                                       c.attention.type = AttentionType::local_p;
                                       c.attention.window = 1;
                                   }},
                                  {"look_generate_update with maxout",
                                   [](ModelConfig& c) {
                                       c.decoder.attend = AttendWhen::look_generate_update;
                                       c.decoder.readout = ReadoutType::maxout;
                                       c.decoder.first_word = FirstWord::zero;
                                       c.attention.type = AttentionType::scaled_dot;
                                   }},
                                  {"Transformer with a lower alignment layer",
                                   [](ModelConfig& c) {
                                       c.encoder.type = EncoderType::transformer;
                                       c.encoder.hidden_size = 6;
                                       c.decoder.type = DecoderType::transformer;
                                       c.decoder.layers = 2;
                                       c.transformer.alignment_layer = 1;
                                       c.tied_embeddings = TiedEmbeddings::all;
                                   }},
                                  {"Transformer over convolutions", [](ModelConfig& c) {
                                       c.encoder.type = EncoderType::convolutional;
                                       c.encoder.hidden_size = 5;
                                       c.decoder.type = DecoderType::transformer;
                                       c.transformer.groups = 1;
                                   }}});
    for (Variant& variant : group.variants) {
        variant.config.decoder.lexical = true;
    }
    return group;
}

}  // namespace

std::vector<VariantGroup> groups_of_kinds() {
    return {transformers(),         lexical_models(),         under_a_transformer(),
            transformer_encoders(), convolutional_encoders(), convolution_under_a_transformer()};
}

}  // namespace softalign
