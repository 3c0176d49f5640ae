// Keys that the chosen types of encoder and decoder ignore may have any value.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "config/helpers.h"
#include "config/rules.h"

namespace softalign {

namespace {

using Paths = std::vector<std::string>;

void append(Paths& to, const std::string& section, const Paths& names) {
    for (const std::string& name : names) {
        to.push_back(section + name);
    }
}

// The keys that docs/configuration.md calls ignored.
Paths ignored_keys(EncoderType encoder, DecoderType decoder) {
    Paths paths;
    if (encoder != EncoderType::recurrent) {
        append(paths, "model.encoder.",
               {"cell", "bidirectional", "residual", "transition_depth", "alternating", "self_attention.heads",
                "self_attention.groups", "self_attention.causal", "self_attention.positions"});
    }
    if (encoder != EncoderType::convolutional) {
        paths.emplace_back("model.encoder.kernel_size");
    }
    if (encoder == EncoderType::none) {
        append(paths, "model.encoder.", {"layers", "hidden_size"});
    }
    if (decoder == DecoderType::transformer) {
        append(paths, "model.decoder.",
               {"cell", "attend", "input_feeding", "initial_state", "readout", "readout_state", "readout_size",
                "residual", "transition_depth", "deep_context"});
        append(paths, "model.attention.",
               {"type", "size", "score", "window", "positions", "heads", "groups", "coverage"});
    } else {
        paths.emplace_back("model.transformer.alignment_layer");
        if (encoder != EncoderType::transformer) {
            append(paths, "model.transformer.", {"heads", "groups", "feed_forward_size", "activation", "norm"});
        }
    }
    return paths;
}

// Every choice of what has choices; else values that are unlikely to fit anything.
std::vector<Value> odd_values(const Key& key) {
    std::vector<Value> values;
    if (key.type == ValueType::boolean) {
        return {false, true};
    }
    for (const std::string& choice : key.allowed.choices) {
        values.emplace_back(choice);
    }
    if (key.type == ValueType::integer) {
        for (const std::int64_t value : {1, 2, 3, 7, 13}) {
            if (allows(key, value)) {
                values.emplace_back(value);
            }
        }
    }
    return values;
}

std::string complaint_about(const Config& config) {
    Problems problems;
    check_rules(config, {}, {[](const Key& key) { return key.path; }, "", "the default"}, problems);
    try {
        problems.throw_if_any();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

struct Types {
    EncoderType encoder;
    DecoderType decoder;
};

std::vector<Types> all_types() {
    std::vector<Types> all;
    for (const EncoderType encoder :
         {EncoderType::recurrent, EncoderType::transformer, EncoderType::convolutional, EncoderType::none}) {
        for (const DecoderType decoder : {DecoderType::recurrent, DecoderType::transformer}) {
            all.push_back({encoder, decoder});
        }
    }
    return all;
}

Config config_of(const Types& types, bool features) {
    Config config;
    config.model.encoder.type = types.encoder;
    config.model.decoder.type = types.decoder;
    config.search.coverage_penalty = 0.5;
    config.model.layer_norm = true;
    if (features) {
        config.data.source_type = SourceType::features;
        config.model.tied_embeddings = TiedEmbeddings::target;
        config.model.decoder.hidden_size = config.model.embedding_size;
    }
    return config;
}

TEST(IgnoredKeys, MayHaveAnyValueOneAtATime) {
    for (const Types& types : all_types()) {
        for (const bool features : {false, true}) {
            for (const std::string& path : ignored_keys(types.encoder, types.decoder)) {
                const Key& key = key_at(path);
                ASSERT_GE(odd_values(key).size(), 2U) << path;
                for (const Value& value : odd_values(key)) {
                    Config config = config_of(types, features);
                    ASSERT_EQ(complaint_about(config), "");
                    key.set(config, value);
                    EXPECT_EQ(complaint_about(config), "");
                }
            }
        }
    }
}

TEST(IgnoredKeys, MayHaveAnyValuesTogether) {
    Random random(5);
    for (const Types& types : all_types()) {
        for (int draw = 0; draw < 300; ++draw) {
            Config config = config_of(types, draw % 2 == 0);
            for (const std::string& path : ignored_keys(types.encoder, types.decoder)) {
                const Key& key = key_at(path);
                const std::vector<Value> values = odd_values(key);
                key.set(config, values[static_cast<std::size_t>(random.below(values.size()))]);
            }
            EXPECT_EQ(complaint_about(config), "");
        }
    }
}

// The same values do matter to the types that use them.
TEST(IgnoredKeys, CountForTheTypesThatUseThem) {
    const std::string never = "model: {decoder: {attend: never}}\n";
    expect_contains(refusal(never), "model.decoder.attend: never needs model.attention.type: none");
    parse(never, {"model.decoder.type=transformer"});
    const std::string last = "model: {encoder: {type: none}, decoder: {initial_state: copy}}\n";
    EXPECT_EQ(refusal(last).find('\n'), std::string::npos);  // one complaint
    parse(last, {"model.decoder.type=transformer"});
    const std::string units = "model: {layer_norm: true, encoder: {cell: gru_cho}}\n";
    expect_contains(refusal(units), "model.layer_norm needs gru or lstm");
    parse(units, {"model.encoder.type=transformer"});
    parse("model: {layer_norm: true, decoder: {cell: gru_cho, layer_norm: false}}\n");
    expect_contains(refusal(units, {"model.encoder.type=transformer", "model.decoder.cell=gru_cho"}),
                    "model.layer_norm needs gru or lstm");
}

// With features there is one vocabulary, that of the target.
TEST(IgnoredKeys, OfVocabulariesThatFeaturesDoNotHave) {
    const std::string bytes = "data: {source_type: features}\nvocabulary: {byte_fallback: true, size: 200}\n";
    expect_contains(refusal(bytes), "more than 260 pieces");
    parse(bytes, {"vocabulary.target_size=300"});
    parse(bytes, {"vocabulary.target_model=given.model"});
    expect_contains(refusal(bytes, {"vocabulary.size=300", "vocabulary.target_size=200"}), "more than 260 pieces");
}

}  // namespace

}  // namespace softalign
