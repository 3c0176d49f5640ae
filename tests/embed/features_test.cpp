// Models of features in the library: arrays in memory, and by their names.
#include <gtest/gtest.h>
#include <softalign/translator.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/has.h"
#include "cli/command_test.h"
#include "data/npy_files.h"
#include "embed/fault.h"

namespace softalign {
namespace {

using ErrorKind = TranslatorError::Kind;

struct FeatureModel {
    std::string name;
    EncoderType encoder;
    DecoderType decoder;
    bool strides = false;  // convolutions that make the grid coarser
};

void PrintTo(const FeatureModel& model, std::ostream* out) {
    *out << model.name;
}

Config config_of(const FeatureModel& model) {
    Config config = small_feature_config(2);
    config.model.encoder.type = model.encoder;
    config.model.decoder.type = model.decoder;
    config.model.transformer.heads = 2;
    config.model.transformer.groups = 1;
    config.model.transformer.feed_forward_size = 12;
    config.model.init.scale = 0.3;
    if (model.strides) {
        config.model.source.convolutions.channels = {4};
    }
    return config;
}

class EmbeddedFeatures : public CommandTest, public testing::WithParamInterface<FeatureModel> {
protected:
    void SetUp() override { write_model(model_, config_of(GetParam())); }

    // [N,H,W,2] with different values in each array.
    static std::vector<std::uint8_t> bytes_of(std::int64_t count) {
        std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            bytes[i] = static_cast<std::uint8_t>(37 * i + i * i);
        }
        return bytes;
    }

    static std::vector<float> floats_of(std::int64_t count) {
        std::vector<float> floats;
        for (const std::uint8_t byte : bytes_of(count)) {
            floats.push_back(static_cast<float>(byte) / 64.0F - 2.0F);
        }
        return floats;
    }

    // One request for each array of [N,H,W,2].
    template <typename Value>
    static std::vector<Translator::Request> requests_of(const std::vector<Value>& values, std::int64_t height,
                                                        std::int64_t width) {
        std::vector<Translator::Request> requests;
        const auto size = static_cast<std::ptrdiff_t>(height * width * depth);
        for (auto begin = values.begin(); begin != values.end(); begin += size) {
            Translator::Features features{height, width, depth};
            set(features, std::vector<Value>(begin, begin + size));
            requests.push_back({"", "", {}, features});
        }
        return requests;
    }

    static void set(Translator::Features& features, std::vector<float> values) { features.floats = values; }
    static void set(Translator::Features& features, std::vector<std::uint8_t> values) { features.bytes = values; }

    static Translator::Options all_of_it() {
        Translator::Options options;
        options.n_best = 2;
        options.attention = true;
        return options;
    }

    // That the results are those of `softalign translate` for the file.
    void expect_the_programs(const std::vector<Translator::Result>& results, const std::string& file) const {
        const Arguments lines = lines_of(
            output_of(&add_translate_command, {"translate", "--device", "cpu", "--quiet", "--model", model_, "--input",
                                               file, "--n-best", "2", "--json", "-", "--json-attention"}));
        ASSERT_EQ(results.size(), lines.size());
        for (std::size_t i = 0; i < lines.size(); ++i) {
            SCOPED_TRACE(i);
            const auto json = nlohmann::json::parse(lines[i]);
            EXPECT_EQ((std::vector<std::int64_t>{results[i].grid_height, results[i].grid_width}), json["grid"]);
            EXPECT_TRUE(results[i].source_pieces.empty());
            EXPECT_TRUE(results[i].source_words.empty());
            ASSERT_EQ(results[i].hypotheses.size(), json["translations"].size());
            for (std::size_t j = 0; j < results[i].hypotheses.size(); ++j) {
                expect_same(results[i].hypotheses[j], json["translations"][j]);
            }
        }
    }

    static void expect_same(const Translator::Hypothesis& hypothesis, const nlohmann::json& expected) {
        EXPECT_EQ(hypothesis.text, expected["text"]);
        EXPECT_EQ(hypothesis.pieces.size() + 1, expected["attention"].size());
        EXPECT_NEAR(hypothesis.log_prob, expected["log_prob"], 1e-5);
        EXPECT_EQ(hypothesis.alignment, expected["alignment"].get<Translator::Alignment>());
        ASSERT_EQ(hypothesis.attention.size(), expected["attention"].size());
        for (std::size_t t = 0; t < hypothesis.attention.size(); ++t) {
            ASSERT_EQ(hypothesis.attention[t].size(), expected["attention"][t].size());
            for (std::size_t s = 0; s < hypothesis.attention[t].size(); ++s) {
                EXPECT_NEAR(hypothesis.attention[t][s], expected["attention"][t][s], 1e-4);
            }
        }
    }

    static constexpr std::int64_t depth = 2;
    const std::string model_ = folder_.path("model");
};

TEST_P(EmbeddedFeatures, ArraysInMemoryGiveWhatTheProgramGives) {
    const Translator translator(model_);
    const std::string file = folder_.path("n.npy");
    write_npy(file, {3, 4, 5, depth}, floats_of(3 * 4 * 5 * depth));
    expect_the_programs(translator.translate_requests(requests_of(floats_of(3 * 4 * 5 * depth), 4, 5), all_of_it()),
                        file);
    write_npy(file, {3, 4, 5, depth}, bytes_of(3 * 4 * 5 * depth));
    expect_the_programs(translator.translate_requests(requests_of(bytes_of(3 * 4 * 5 * depth), 4, 5), all_of_it()),
                        file);
    write_npy(file, {2, 7, depth}, floats_of(2 * 7 * depth));
    const auto sequences = translator.translate_requests(requests_of(floats_of(2 * 7 * depth), 1, 7), all_of_it());
    expect_the_programs(sequences, file);
    EXPECT_EQ(sequences.front().grid_height, 1);
    EXPECT_EQ(sequences.front().grid_width, GetParam().strides ? 4 : 7);
}

TEST_P(EmbeddedFeatures, NamesOfArraysAndArraysInMemoryGoTogether) {
    const std::string file = folder_.path("n.npy");
    write_npy(file, {2, 3, 3, depth}, floats_of(2 * 3 * 3 * depth));
    std::vector<Translator::Request> requests = requests_of(floats_of(2 * 3 * 3 * depth), 3, 3);
    requests.insert(requests.begin() + 1, {{file + "[1]"}, {" "}});
    const Translator translator(model_);
    const auto results = translator.translate_requests(requests, all_of_it());
    ASSERT_EQ(results.size(), 4U);
    EXPECT_EQ(results[1].best().text, results[3].best().text);
    EXPECT_EQ(results[1].best().log_prob, results[3].best().log_prob);
    EXPECT_EQ(results[1].best().attention, results[3].best().attention);
    EXPECT_EQ(results[2].best().text, "");
    EXPECT_EQ(results[2].grid_height, 0);
    expect_the_programs({results[0], results[3]}, file);
    requests.resize(1);
    requests.front().prefix = "the small";
    EXPECT_EQ(translator.translate_requests(requests, {}).front().best().text.rfind("the small", 0), 0U);
}

TEST_P(EmbeddedFeatures, WhatIsWrongWithAnArrayIsSaid) {
    const Translator translator(model_);
    const Translator::Features good{2, 3, depth, std::vector<float>(12)};
    const auto message = [&](const Translator::Features& features) {
        return fault(ErrorKind::input, [&] {
            translator.translate_requests({{"", "", {}, good}, {"", "", {}, features}}, {});
        });
    };
    const auto with = [&](const std::function<void(Translator::Features&)>& change) {
        Translator::Features changed = good;
        change(changed);
        return message(changed);
    };
    EXPECT_EQ(with([](auto& features) { features.floats.pop_back(); }),
              "sentence 2: its features have the shape (2, 3, 2), which takes 12 values, but 11 were given");
    EXPECT_TRUE(has(with([](auto& features) { features.floats.push_back(0); }), "but 13 were given"));
    EXPECT_TRUE(has(with([](auto& features) { features.floats.clear(); }), "but 0 were given"));
    EXPECT_TRUE(has(with([](auto& features) { features.depth = 3; }), "the model reads 2 values at each position"));
    EXPECT_TRUE(has(with([](auto& features) { features.height = 0; }), "height times width must be from 1 to"));
    EXPECT_TRUE(has(with([](auto& features) { features.width = -3; }), "height times width must be from 1 to"));
    EXPECT_TRUE(has(with([](auto& features) {
                        features.height = std::int64_t{1} << 33;
                        features.width = std::int64_t{1} << 33;
                    }),
                    "height times width must be from 1 to"));
    EXPECT_EQ(with([](auto& features) { features.bytes.resize(12); }),
              "sentence 2: its features have floats and bytes; give one of them");
    for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        EXPECT_EQ(with([wrong](auto& features) { features.floats[7] = wrong; }),
                  "sentence 2: value 7 of its features, counted from 0, is not a finite number");
    }
    EXPECT_EQ(fault(ErrorKind::input,
                    [&] {
                        translator.translate_requests({{"x.npy", "", {}, good}}, {});
                    }),
              "sentence 1 has a text and features; give one of them");
    EXPECT_TRUE(has(fault(ErrorKind::input, [&] { translator.translate({"a dog"}); }),
                    "the model reads features, so a sentence is the path of a .npy file"));
    Translator::Options options;
    options.shortlist = true;
    EXPECT_EQ(fault(ErrorKind::options,
                    [&] {
                        translator.translate_requests({{"", "", {}, good}}, options);
                    }),
              "translation options: the shortlist is for models that read text; this one reads features");
    EXPECT_EQ(translator.translate_requests({{"", "", {}, good}}, {}).size(), 1U);
}

TEST_P(EmbeddedFeatures, AModelOfTextTakesNoArray) {
    write_model(folder_.path("text"));
    const Translator translator(folder_.path("text"));
    const Translator::Features features{1, 2, depth, std::vector<float>(4)};
    EXPECT_EQ(fault(ErrorKind::input,
                    [&] {
                        translator.translate_requests({{"a dog"}, {"", "", {}, features}}, {});
                    }),
              "sentence 2 is an array, and the model reads text");
    EXPECT_EQ(translator.translate({"a dog"}).front().grid_height, 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, EmbeddedFeatures,
    testing::Values(FeatureModel{"grid_gru", EncoderType::none, DecoderType::recurrent},
                    FeatureModel{"rows_gru", EncoderType::recurrent, DecoderType::recurrent},
                    FeatureModel{"grid_transformer", EncoderType::transformer, DecoderType::transformer},
                    FeatureModel{"strides_transformer", EncoderType::transformer, DecoderType::transformer, true}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace softalign
