// `softalign benchmark`, as the program itself: it runs itself again.
#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/wait.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/strings.h"
#include "benchmark/family.h"
#include "cli/fixtures.h"

namespace softalign {
namespace {

struct BenchmarkOutcome {
    int status = -1;
    std::string out;
    std::string err;
};

// A folder with a tiny corpus and its configuration. The validation text has an empty line.
class BenchmarkCommand : public testing::Test {
protected:
    BenchmarkCommand() {
        Config config = small_model_config();
        std::vector<std::string> source;
        std::vector<std::string> target;
        for (int i = 0; i < 8; ++i) {  // six whole batches
            source.insert(source.end(), {"the cat sees the dog", "a dog", "the house is small"});
            target.insert(target.end(), {"a dog is a house", "the cat", "the dog is small"});
        }
        config.data.train_source = {folder_.write("train.a", joined(source))};
        config.data.train_target = {folder_.write("train.b", joined(target))};
        config.data.valid_source = folder_.write("valid.a", joined(model_sentences));
        config.data.valid_target = folder_.write("valid.b", joined(model_sentences));
        config.vocabulary.size = 12;
        config.training.batch_size = 4;
        config.training.max_epochs = 1;
        config.checkpoints.directory = folder_.path("run");
        folder_.write("config.yaml", to_yaml(config));
    }

    BenchmarkOutcome run(const Arguments& arguments) const {
        std::string command = shell_word(SOFTALIGN_PROGRAM) + " benchmark " + shell_word(folder_.path("config.yaml"));
        for (const std::string& argument : arguments) {
            command += " " + shell_word(argument);
        }
        command += " 2>" + shell_word(folder_.path("stderr"));
        BenchmarkOutcome result;
        std::FILE* const pipe = ::popen(command.c_str(), "r");
        std::array<char, 4096> buffer{};
        std::size_t count = 0;
        while ((count = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0) {
            result.out.append(buffer.data(), count);
        }
        const int status = ::pclose(pipe);
        result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        result.err = read_bytes(folder_.path("stderr"));
        return result;
    }

    nlohmann::json report(Arguments arguments) const {
        arguments.push_back("--json");
        const BenchmarkOutcome result = run(arguments);
        EXPECT_EQ(result.status, 0) << result.err;
        return nlohmann::json::parse(result.out);
    }

    TemporaryFolder folder_;
};

constexpr std::int64_t parts_listed = 10;

TEST_F(BenchmarkCommand, MeasuresTrainingAndTranslation) {
    const auto all = report({"--updates", "2", "--warmup", "1", "--rounds", "2", "--workers", "1,2", "--beams", "1,2"});
    EXPECT_FALSE(std::filesystem::exists(folder_.path("run")));
    EXPECT_EQ(all["precision"], "float32");

    const auto& training = all["training"];
    EXPECT_EQ(training["updates"], 2);
    EXPECT_EQ(training["sentences"], 8);
    EXPECT_GT(training["target_tokens"].get<int>(), training["sentences"].get<int>());
    EXPECT_GT(training["parameters"].get<int>(), 0);
    EXPECT_GT(training["peak_memory_bytes"].get<double>(), 1e6);
    EXPECT_GE(training["padding"]["source"].get<double>(), 0.0);
    EXPECT_LT(training["padding"]["target"].get<double>(), 1.0);
    ASSERT_EQ(training["measurements"].size(), 2U);
    for (const auto& measured : training["measurements"]) {
        EXPECT_EQ(measured["tokens_per_second"]["measured"].size(), 2U);
        const auto& shares = measured["shares"];
        double sum = 0.0;
        for (const char* part : {"data", "forward_backward", "reduction", "update", "rest"}) {
            EXPECT_GE(shares[part].get<double>(), -1e-9) << part;
            sum += shares[part].get<double>();
        }
        EXPECT_NEAR(sum, 1.0, 1e-9);
        EXPECT_GT(measured["utilisation"].get<double>(), 0.0);
        EXPECT_LE(measured["utilisation_without_padding"].get<double>(), measured["utilisation"].get<double>());
    }
    EXPECT_EQ(training["measurements"][1]["workers"], 2);
    EXPECT_EQ(training["measurements"][0]["speed_up"]["median"], 1.0);

    const auto& flop = training["flop"];
    EXPECT_EQ(flop["parts"].size(), static_cast<std::size_t>(parts_listed));
    double sum = 0.0;
    for (const auto& part : flop["parts"]) {
        sum += part["forward"].get<double>() + part["backward"].get<double>();
    }
    EXPECT_NEAR(sum, flop["per_target_token"].get<double>(), 1e-6 * sum);
    EXPECT_LE(flop["per_target_token_without_padding"], flop["per_target_token"]);

    // Before the rounds and after each of them, of training and of translation.
    ASSERT_EQ(all["peak"]["measurements"].size(), 2U);
    EXPECT_EQ(all["peak"]["measurements"][1]["threads"], 2);
    EXPECT_EQ(all["peak"]["measurements"][1]["gflops"]["measured"].size(), 6U);

    const auto& translation = all["translation"];
    EXPECT_EQ(translation["weights"], "trained here");
    EXPECT_EQ(translation["sentences"], model_sentences.size());
    ASSERT_EQ(translation["measurements"].size(), 4U);
    for (const auto& measured : translation["measurements"]) {
        EXPECT_EQ(measured["sentences_per_second"]["measured"].size(), 2U);
        EXPECT_GE(measured["tokens"].get<std::size_t>(), model_sentences.size());
        EXPECT_GT(measured["command"]["seconds"].get<double>(), 0.0);
        EXPECT_GT(measured["command"]["peak_memory_bytes"].get<double>(), 1e6);
    }
    EXPECT_EQ(translation["measurements"][3]["beam"], 2);
    EXPECT_EQ(translation["measurements"][3]["workers"], 2);
    EXPECT_GT(translation["start_up_seconds"]["median"].get<double>(), 0.0);
}

TEST_F(BenchmarkCommand, TranslatesTheTextGivenWithTheModelGiven) {
    write_model(folder_.path("model"));
    const std::string text = folder_.write("text", "a dog\nthe cat\n");
    const auto all = report({"--only", "translation", "--model", folder_.path("model"), "--input", text, "--rounds",
                             "1", "--workers", "1", "--beams", "1"});
    EXPECT_FALSE(all.contains("training"));
    EXPECT_FALSE(all.contains("vocabulary"));
    EXPECT_EQ(all["translation"]["weights"], "given");
    EXPECT_EQ(all["translation"]["model"], folder_.path("model"));
    EXPECT_EQ(all["translation"]["sentences"], 2);
}

TEST_F(BenchmarkCommand, TranslatesWithInitialWeightsWhereNoModelIsGiven) {
    const auto all = report({"--only", "translation", "--rounds", "1", "--beams", "1"});
    EXPECT_FALSE(all.contains("training"));
    EXPECT_EQ(all["translation"]["weights"], "initial");
    EXPECT_GT(all["translation"]["measurements"][0]["tokens"].get<std::size_t>(), 0U);
}

TEST_F(BenchmarkCommand, TakesTheVocabularyOfTheModelDirectory) {
    Config config = small_model_config();
    config.vocabulary.size = 12;  // as the configuration has it
    write_model(folder_.path("run"), config);
    const std::string before = read_bytes(weights_path(folder_.path("run")));
    const auto pieces = load_tokenizers(folder_.path("run")).source->size();
    const auto all = report({"--only", "training", "--updates", "1", "--warmup", "0", "--rounds", "1"});
    EXPECT_EQ(all["vocabulary"]["source"], pieces);
    EXPECT_FALSE(all.contains("translation"));
    EXPECT_EQ(read_bytes(weights_path(folder_.path("run"))), before);

    const auto other = report(
        {"--only", "training", "--updates", "1", "--warmup", "0", "--rounds", "1", "--set", "vocabulary.size=9"});
    EXPECT_NE(other["vocabulary"]["source"], pieces) << "the directory's has another size";
}

TEST_F(BenchmarkCommand, ComparesAllStructures) {
    const Arguments little{"--all", "--updates", "1", "--warmup", "0",  "--rounds",
                           "2",     "--workers", "1", "--beams",  "1,2"};
    const auto report = this->report(little);
    const auto& all = report["all"];
    ASSERT_EQ(all.size(), family().size());
    EXPECT_EQ(report["base"].size(), family_base().size());
    std::set<std::string> names;
    std::set<std::vector<std::string>> settings;
    for (const auto& result : all) {
        names.insert(result["name"].get<std::string>());
        settings.insert(result["settings"].get<std::vector<std::string>>());
        EXPECT_EQ(result["training"]["measurements"][0]["tokens_per_second"]["measured"].size(), 2U);
        EXPECT_EQ(result["training"]["updates_not_finite"], 0);
        EXPECT_GT(result["training"]["measurements"][0]["utilisation"].get<double>(), 0.0);
        ASSERT_EQ(result["translation"].size(), 2U);
        EXPECT_EQ(result["translation"][1]["beam"], 2);
        EXPECT_EQ(result["translation"][1]["sentences_per_second"]["measured"].size(), 2U);
    }
    EXPECT_EQ(names.size(), all.size());
    EXPECT_EQ(settings.size(), all.size());
    EXPECT_EQ(all[0]["relative"]["median"], 1.0);
    // Their structures are what they say: two layers have more parameters than one, and so on.
    const auto parameters = [&](std::size_t i) { return all[i]["training"]["parameters"].get<std::int64_t>(); };
    for (std::size_t i = 2; i < 5; ++i) {
        EXPECT_GT(parameters(i), parameters(0)) << all[i]["name"];
    }
    EXPECT_FALSE(std::filesystem::exists(folder_.path("run")));
}

TEST_F(BenchmarkCommand, LeavesOutStructuresThatTheSizesForbid) {
    const BenchmarkOutcome result = run({"--all", "--only", "training", "--updates", "1", "--warmup", "0", "--rounds",
                                         "1", "--workers", "1", "--set", "model.transformer.heads=7"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.err.find("Transformer is left out"), std::string::npos) << result.err;
    EXPECT_NE(result.out.find("GRU, additive, two layers"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("--set model.encoder.layers=2"), std::string::npos) << result.out;
    EXPECT_EQ(result.out.find("Transformer"), std::string::npos) << result.out;
}

TEST_F(BenchmarkCommand, PrintsTables) {
    const BenchmarkOutcome result = run({"--updates", "1", "--warmup", "0", "--rounds", "1", "--beams", "1"});
    EXPECT_EQ(result.status, 0) << result.err;
    for (const char* part : {"sgemm peak", "MFLOP a token", "decoder states", "of peak", "speed-up", "peak memory",
                             "translation: 5 sentences", "produce no sensible text", "start-up"}) {
        EXPECT_NE(result.out.find(part), std::string::npos) << "no \"" << part << "\" in\n" << result.out;
    }
}

TEST_F(BenchmarkCommand, SaysWhatIsWrong) {
    const auto expect = [&](const Arguments& arguments, ExitCode code, const std::string& part) {
        const BenchmarkOutcome result = run(arguments);
        EXPECT_EQ(result.status, static_cast<int>(code)) << result.err;
        EXPECT_NE(result.err.find(part), std::string::npos) << "no \"" << part << "\" in\n" << result.err;
        EXPECT_EQ(result.out, "");
    };
    expect({"--workers", "1,1"}, ExitCode::usage, "--workers: a number is given twice");
    expect({"--workers", "0"}, ExitCode::usage, "--workers");
    expect({"--beams", "5,x"}, ExitCode::usage, "--beams");
    expect({"--updates", "0"}, ExitCode::usage, "--updates");
    expect({"--only", "training", "--model", "m"}, ExitCode::usage, "--only training");
    expect({"--all", "--workers", "1,2"}, ExitCode::usage, "give one with --workers");
    expect({"--all", "--model", "m"}, ExitCode::usage, "--all translates with models of its own");
    expect({"--set", "runtime.device=cuda"}, ExitCode::configuration, "--set runtime.device=cpu");
    expect({"--set", "data.valid_source=\"\"", "--set", "data.valid_target=\"\""}, ExitCode::configuration,
           "--input FILE");
    expect({"--only", "translation", "--model", folder_.path("none")}, ExitCode::model, "no model directory");
    expect({"--input", folder_.write("blank", "\n  \n")}, ExitCode::data, "there is no sentence to translate");
}

}  // namespace
}  // namespace softalign
