#include <unistd.h>

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "base/atomic_file.h"
#include "base/instructions.h"
#include "base/version.h"
#include "cli/program.h"
#include "config/load.h"
#include "journal/log.h"
#include "storage/model_directory.h"
#include "text/trained_vocabulary.h"

namespace softalign {
namespace {

std::string info(const std::string& arguments) {
    CLI::App program;
    Action action;
    add_info_command(program, action);
    program.parse("info " + arguments);
    set_up_logging(LogLevel::info);  // warnings go to stderr
    testing::internal::CaptureStdout();
    const int code = action();
    std::string out = testing::internal::GetCapturedStdout();
    EXPECT_EQ(code, 0);
    return out;
}

// A model directory of random weights, written once.
class InfoCommand : public testing::Test {
protected:
    void SetUp() override {
        directory_ =
            (std::filesystem::temp_directory_path() / ("softalign_info_" + std::to_string(::getpid()))).string();
        std::filesystem::create_directories(directory_);
        Config config;
        config.data.train_source = {"/x.en"};
        config.data.train_target = {"/x.de"};
        config.data.valid_source = "/v.en";
        config.data.valid_target = "/v.de";
        config.checkpoints.directory = "/m";
        config.vocabulary.type = VocabularyType::word;
        config.model.embedding_size = 4;
        config.model.encoder.hidden_size = 3;
        config.model.decoder.hidden_size = 5;
        config.model.attention.size = 6;
        train_vocabulary_on({"a small house"}, config.vocabulary, 100, joint_vocabulary_path(directory_));
        write_file_atomically(config_path(directory_), to_yaml(config));
        const std::int64_t size = load_tokenizers(directory_).source->size();
        Seq2Seq model(config.model, {size, size});
        parameters_ = model.parameter_count();
        save_weights(model, weights_path(directory_), {{"update", "12"}, {"bleu", "36.5"}});
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    std::string directory_;
    std::int64_t parameters_ = 0;
};

TEST_F(InfoCommand, JsonHasEverything) {
    const auto facts = nlohmann::json::parse(info("--format json --model " + directory_));
    EXPECT_EQ(facts["version"], version());
    EXPECT_EQ(facts["libtorch"], libtorch_version());
    EXPECT_GT(facts["blas"]["gflops"].get<double>(), 0.0);
    EXPECT_FALSE(facts["blas"]["name"].get<std::string>().empty());
    EXPECT_GE(facts["cores"]["physical"].get<int>(), 1);
    EXPECT_GT(facts["memory_bytes"].get<double>(), 0.0);
    EXPECT_EQ(facts["devices"][0]["name"], "cpu");
    EXPECT_EQ(facts["kernels"], name_of(instructions()));
    const auto& model = facts["model"];
    EXPECT_EQ(model["parameters"], parameters_);
    EXPECT_EQ(model["training"]["bleu"], "36.5");
    EXPECT_EQ(model["configuration"]["model.encoder.hidden_size"], "3");
    EXPECT_TRUE(model["vocabulary"]["joint"].get<bool>());
    std::int64_t sum = 0;
    for (const auto& tensor : model["tensors"]) {
        sum += tensor["parameters"].get<std::int64_t>();
    }
    EXPECT_EQ(sum, parameters_);
}

TEST_F(InfoCommand, TextSaysTheSame) {
    const std::string out = info("--model " + directory_);
    for (const std::string& part :
         {std::string("GFLOP/s"), std::string("physical"), std::string("\nkernels     ") + name_of(instructions()),
          std::string("model.attention.type: additive"), std::string("source_embedding ["), std::string("update: 12"),
          std::to_string(parameters_) + "  parameters in all"}) {
        EXPECT_NE(out.find(part), std::string::npos) << part << " is not in:\n" << out;
    }
}

TEST_F(InfoCommand, WithoutAModelItSpeaksOfTheMachineAlone) {
    EXPECT_FALSE(nlohmann::json::parse(info("--format json")).contains("model"));
}

TEST_F(InfoCommand, GivesTheConfigurationReference) {
    EXPECT_EQ(info("--config-reference"), configuration_reference());
}

}  // namespace
}  // namespace softalign
