#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/has.h"
#include "cli/command_test.h"
#include "cli/program_outcome.h"
#include "config/schema.h"
#include "data/npy_files.h"
#include "storage/safetensors.h"

namespace softalign {
namespace {

struct Shape {
    std::string name;
    std::function<void(ModelConfig&)> change;
};

void PrintTo(const Shape& shape, std::ostream* out) {
    *out << shape.name;
}

std::vector<Shape> shapes() {
    const auto attention = [](AttentionType type) {
        return [type](ModelConfig& model) {
            model.attention.type = type;
            model.attention.heads = 2;
            model.attention.score = ScoreType::general;
            model.encoder.bidirectional = type != AttentionType::dot;
        };
    };
    return {{"additive", attention(AttentionType::additive)},
            {"concat", attention(AttentionType::concat)},
            {"dot", attention(AttentionType::dot)},
            {"location", attention(AttentionType::location)},
            {"local_p", attention(AttentionType::local_p)},
            {"multi_head", attention(AttentionType::multi_head)},
            {"none", attention(AttentionType::none)},
            {"coverage",
             [](ModelConfig& model) {
                 model.attention.coverage = CoverageType::fertility;
                 model.tied_embeddings = TiedEmbeddings::all;
             }},
            {"gru_cho",
             [](ModelConfig& model) {
                 model.encoder.cell = CellType::gru_cho;
                 model.decoder.cell = CellType::gru_cho;
                 model.decoder.transition_depth = 2;
             }},
            {"lstm",
             [](ModelConfig& model) {
                 model.encoder.cell = CellType::lstm;
                 model.decoder.cell = CellType::lstm;
                 model.layer_norm = true;
                 model.tied_embeddings = TiedEmbeddings::target;
             }},
            {"transformer",
             [](ModelConfig& model) {
                 model.encoder.type = EncoderType::transformer;
                 model.decoder.type = DecoderType::transformer;
                 model.transformer.heads = 2;
                 model.positions.type = PositionType::learned;
                 model.positions.size = 8;
             }},
            {"convolutional", [](ModelConfig& model) {
                 model.encoder.type = EncoderType::convolutional;
                 model.decoder.initial_state = InitialState::mean;
             }}};
}

class QuantizeCommand : public CommandTest {
protected:
    Outcome quantize(const Arguments& more = {}) const {
        Arguments arguments{"quantize", "--model", model_, "--output", rounded_};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_here(arguments);
    }

    // All that the commands say of the model's probabilities.
    std::string output_with(const Arguments& model, const Arguments& more = {}) const {
        const std::string target = folder_.write("target", "the dog\na cat\na small house\n\nthe cat sees\n");
        Arguments translate{"translate", "--quiet", "--device", "cpu", "--input", input_, "--n-best", "3"};
        Arguments score{"score", "--quiet", "--device", "cpu", "--source", input_, "--target", target, "--tokens"};
        std::string output;
        for (Arguments* command : {&translate, &score}) {
            command->insert(command->end(), model.begin(), model.end());
            if (command == &translate) {
                command->insert(command->end(), more.begin(), more.end());
            }
            const Outcome outcome = run_here(*command);
            EXPECT_EQ(outcome.status, 0) << outcome.err;
            output += outcome.out;
        }
        return output;
    }

    void expect_same_bytes(const Arguments& more = {}) const {
        const std::string expected = output_with({"--model", model_, "--precision", "int8"}, more);
        EXPECT_EQ(output_with({"--model", rounded_}, more), expected);
        EXPECT_NE(output_with({"--model", model_}, more), expected);
    }

    const std::string model_ = folder_.path("model");
    const std::string rounded_ = folder_.path("rounded");
    const std::string input_ = folder_.write("input", joined(model_sentences));
};

class QuantizedShapes : public QuantizeCommand, public testing::WithParamInterface<Shape> {};

TEST_P(QuantizedShapes, TranslateAsTheOriginalInInt8) {
    Config config = small_model_config();
    GetParam().change(config.model);
    write_model(model_, config);
    ASSERT_EQ(quantize().status, 0);
    expect_same_bytes();
}

INSTANTIATE_TEST_SUITE_P(, QuantizedShapes, testing::ValuesIn(shapes()),
                         [](const auto& info) { return info.param.name; });

TEST_F(QuantizeCommand, AModelOfFeaturesTranslatesAsTheOriginalInInt8) {
    Config config = small_feature_config(2);
    config.model.source.convolutions.channels = {3};
    write_model(model_, config);
    ASSERT_EQ(quantize().status, 0);
    const std::string npy = folder_.path("n.npy");
    write_npy(npy, {2, 3, 4, 2}, std::vector<std::uint8_t>(48, 77));
    const Arguments translate{"translate", "--quiet", "--input", npy, "--n-best", "3", "--model"};
    const auto with = [&](const Arguments& model) {
        Arguments arguments = translate;
        arguments.insert(arguments.end(), model.begin(), model.end());
        return run_here(arguments).out;
    };
    EXPECT_EQ(with({rounded_}), with({model_, "--precision", "int8"}));
    EXPECT_NE(with({rounded_}), with({model_}));
    EXPECT_NE(with({rounded_}), "");
}

TEST_F(QuantizeCommand, WritesAWholeDirectoryAndSaysSo) {
    Config config = small_model_config();
    config.model.embedding_size = 64;
    config.model.encoder.hidden_size = 128;
    config.model.decoder.hidden_size = 128;
    config.model.attention.size = 64;
    write_model(model_, config);
    folder_.write("model/train.log", "");
    const Outcome outcome = quantize();
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(outcome.out.rfind("rounded ", 0), 0U) << outcome.out;
    EXPECT_TRUE(has(outcome.out, "\nwrote " + rounded_ + "\ntranslate with: softalign translate --model " + rounded_))
        << outcome.out;
    EXPECT_GT(static_cast<double>(std::filesystem::file_size(weights_path(model_))),
              3.5 * static_cast<double>(std::filesystem::file_size(weights_path(rounded_))));
    EXPECT_EQ(read_bytes(joint_vocabulary_path(rounded_)), read_bytes(joint_vocabulary_path(model_)));
    EXPECT_FALSE(std::filesystem::exists(rounded_ + "/train.log"));
    const Config written = load_model_config(rounded_);
    const Config given = load_model_config(model_);
    for (const Key& key : schema()) {
        EXPECT_EQ(key.get(written) == key.get(given), key.path != "runtime.precision") << key.path;
    }
    EXPECT_TRUE(has(run_here({"info", "--model", rounded_}).out, "quantized: int8"));
}

TEST_F(QuantizeCommand, TakesOtherWeightsAndTheShortlist) {
    write_model(model_);
    ASSERT_EQ(run_here({"shortlist", "--model", model_, "--quiet", "--source", input_, "--target", input_}).status, 0);
    const std::string other = model_ + "/other.safetensors";
    ASSERT_EQ(quantize({"--weights", other}).status, 0);
    const Arguments more{"--shortlist"};
    EXPECT_EQ(output_with({"--model", rounded_}, more),
              output_with({"--model", model_, "--weights", other, "--precision", "int8"}, more));
}

TEST_F(QuantizeCommand, ADamagedTensorIsFoundByItsChecksum) {
    write_model(model_);
    ASSERT_EQ(quantize().status, 0);
    std::string bytes = read_bytes(weights_path(rounded_));
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    folder_.write("rounded/model.safetensors", bytes);
    expect_fault(run_here({"translate", "--model", rounded_, "--input", input_}), ExitCode::model,
                 " is not what was written");
}

TEST_F(QuantizeCommand, JoinsModelsInFloatInAnEnsemble) {
    write_model(model_);
    ASSERT_EQ(quantize().status, 0);
    for (const Arguments& models : {Arguments{model_, rounded_}, Arguments{rounded_, model_}}) {
        const Outcome outcome =
            run_here({"translate", "--quiet", "--input", input_, "--model", models.front(), "--model", models.back()});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(lines_of(outcome.out).size(), model_sentences.size());
    }
}

TEST_F(QuantizeCommand, RefusesWhatItCannotDo) {
    write_model(model_);
    ASSERT_EQ(quantize().status, 0);
    expect_fault(quantize(), ExitCode::output, rounded_);
    expect_fault(run_here({"quantize", "--model", rounded_, "--output", folder_.path("again")}), ExitCode::model,
                 weights_path(rounded_) + ": its weights are int8 already; translate with them as they are");
    EXPECT_FALSE(std::filesystem::exists(folder_.path("again")));
    expect_fault(run_here({"train", config_path(rounded_)}), ExitCode::configuration, "runtime.precision is int8");
    expect_fault(run_here({"average", weights_path(rounded_), "--output", folder_.path("mean.safetensors")}),
                 ExitCode::model, "its weights are rounded to int8");
}

}  // namespace
}  // namespace softalign
