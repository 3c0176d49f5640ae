// Several models at once, in `translate` and in `score`.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/command_test.h"

namespace softalign {
namespace {

// What turns off a part of the normalisation at the end of a vocabulary file: fields there replace those before them.
constexpr char without_dummy_prefix[] = "\x1a\x02\x18";  // ends in NUL, which counts

class EnsembleCommand : public CommandTest {
protected:
    void SetUp() override {
        write_model(one_);
        Config config = small_model_config();
        config.model.attention.type = AttentionType::none;
        config.model.decoder.cell = CellType::lstm;
        config.search.beam = 4;
        write_model(two_, config);
    }

    std::string translate(Arguments arguments) const {
        arguments.insert(arguments.begin(), {"translate", "--device", "cpu", "--input", input_});
        return output_of(&add_translate_command, arguments);
    }

    Arguments score(Arguments arguments) const {
        arguments.insert(arguments.begin(), {"score", "--device", "cpu", "--source", input_, "--target", target_});
        return lines_of(output_of(&add_score_command, arguments));
    }

    std::string fault(ExitCode code, const Arguments& arguments) const {
        return error_of(code, [&] { translate(arguments); });
    }

    const std::string one_ = folder_.path("one");
    const std::string two_ = folder_.path("two");
    const std::string input_ = folder_.write("input", joined(model_sentences));
    const std::string target_ = folder_.write("target", "the dog\na cat\na small house\n\nthe cat sees\n");
};

TEST_F(EnsembleCommand, AModelWithItselfTranslatesAsAlone) {
    const std::string alone = translate({"--model", one_});
    EXPECT_EQ(translate({"--model", one_, "--model", one_}), alone);
    EXPECT_EQ(translate({"--model", one_, "--model", one_, "--ensemble", "log", "--ensemble-weights", "1,3"}), alone);
    EXPECT_EQ(translate({"--model", one_, "--model", two_, "--ensemble-weights", "1,0"}), alone);
    // The defaults of the search are the first model's, so the other's beam of 4 has no part in it.
    EXPECT_EQ(translate({"--model", one_, "--model", two_, "--ensemble-weights", "0,1"}),
              translate({"--model", two_, "--beam", "3"}));
}

TEST_F(EnsembleCommand, ModelsAreAveragedInEitherSpace) {
    const auto tokens_of = [&](const Arguments& arguments) {
        std::vector<double> values;
        for (const std::string& line : score(arguments)) {
            for (const std::string& value : split(split(line, '\t').at(3), ' ')) {
                values.push_back(std::stod(value));
            }
        }
        return values;
    };
    const std::vector<double> one = tokens_of({"--model", one_, "--tokens"});
    const std::vector<double> two = tokens_of({"--model", two_, "--tokens"});
    const std::vector<double> mean = tokens_of({"--model", one_, "--model", two_, "--tokens"});
    const std::vector<double> logs =
        tokens_of({"--model", one_, "--model", two_, "--tokens", "--ensemble", "log", "--ensemble-weights", "3,1"});
    ASSERT_EQ(mean.size(), one.size());
    ASSERT_EQ(logs.size(), one.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_NEAR(mean[i], std::log(0.5 * std::exp(one[i]) + 0.5 * std::exp(two[i])), 5e-6);
        EXPECT_NEAR(logs[i], 0.75 * one[i] + 0.25 * two[i], 5e-6);
    }
}

TEST_F(EnsembleCommand, FeaturesTellTheModelsApart) {
    const Arguments lines = lines_of(translate({"--model", one_, "--model", two_, "--features", "--ensemble", "log"}));
    ASSERT_EQ(lines.size(), model_sentences.size());
    const Arguments words = split(lines.front(), ' ');
    const auto value_of = [&](const std::string& name) {
        const auto found = std::find(words.begin(), words.end(), name);
        return found == words.end() ? std::nan("") : std::stod(*(found + 1));
    };
    EXPECT_NEAR(value_of("LogProb="), 0.5 * value_of("Model0=") + 0.5 * value_of("Model1="), 1e-4);
    EXPECT_NE(value_of("Model0="), value_of("Model1="));
}

TEST_F(EnsembleCommand, CheckpointsOfOneModel) {
    const std::string other = one_ + "/other.safetensors";
    const std::string own = one_ + "/model.safetensors";
    const Arguments both = {"--model", one_, "--weights", own, "--model", one_, "--weights", other};
    EXPECT_NE(score(both), score({"--model", one_}));
    EXPECT_NE(score(both), score({"--model", one_, "--weights", other}));
    EXPECT_EQ(score(both), score({"--model", one_, "--model", one_, "--weights", own, "--weights", other}));
    EXPECT_EQ(
        fault(ExitCode::usage, {"--model", one_, "--model", one_, "--weights", other}),
        "--weights is given 1 times and --model 2; give --weights once for each --model, in their order, or not at "
        "all");
}

TEST_F(EnsembleCommand, AlignmentsComeFromTheModelsThatHaveThem) {
    const std::string alignments = folder_.path("alignments");
    translate({"--model", two_, "--model", one_, "--alignments", alignments});
    EXPECT_NE(read_bytes(alignments).find("-0"), std::string::npos);
    EXPECT_EQ(fault(ExitCode::usage, {"--model", two_, "--model", two_, "--alignments", alignments}),
              "--alignments: " + two_ + " is a model without attention; " + two_ + " is a model without attention");
}

// A vocabulary may have the same pieces and still cut a text into others of them.
TEST_F(EnsembleCommand, AModelThatReadsTheSourceInOtherPiecesHasNoSayInAlignments) {
    const std::string other = folder_.path("other");
    write_model(other, small_model_config(), {{1, 4.0}});
    std::ofstream(joint_vocabulary_path(other), std::ios::binary | std::ios::app)
        << std::string(without_dummy_prefix, sizeof(without_dummy_prefix));
    const std::string reason = other + " does not read the source with the vocabulary of " + two_ +
                               " (the same pieces, but another normalisation of the text)";
    const std::string file = folder_.path("file");
    const std::vector<Arguments> needing = {{"--alignments", file},
                                            {"--alignments", file, "--alignment-format", "soft"},
                                            {"--alignments", file, "--alignment-units", "words", "--n-best", "2"},
                                            {"--json", file, "--json-attention"},
                                            {"--replace-unk"},
                                            {"--coverage-penalty", "0.2"}};
    for (const Arguments& options : needing) {
        Arguments arguments = {"--model", two_, "--model", other};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const std::string message = fault(ExitCode::usage, arguments);
        EXPECT_NE(message.find(": " + two_ + " is a model without attention; " + reason), std::string::npos) << message;
        EXPECT_TRUE(has(message, options[options.size() == 4 && options[0] == "--json" ? 2 : 0])) << message;
        arguments = {"--model", one_, "--model", other};  // the first has attention for its own pieces
        arguments.insert(arguments.end(), options.begin(), options.end());
        EXPECT_NE(translate(arguments), "");
        EXPECT_TRUE(has(log_.text(), "attention is without that of some models: " + other)) << log_.text();
    }
    const std::string json = translate({"--model", two_, "--model", other, "--json", "-"});
    EXPECT_FALSE(has(json, "alignment"));
    EXPECT_TRUE(has(log_.text(), "attention is without that of some models: " + reason)) << log_.text();
    translate({"--model", two_, "--model", other, "--report", folder_.path("page.html"), "--output", file});
    EXPECT_FALSE(has(read_bytes(folder_.path("page.html")), "<summary>Attention"));
    translate({"--model", one_, "--model", other, "--report", folder_.path("page.html"), "--output", file});
    EXPECT_TRUE(has(read_bytes(folder_.path("page.html")), "<summary>Attention"));
    EXPECT_EQ(score({"--model", two_, "--model", other}).size(), model_sentences.size());
}

TEST_F(EnsembleCommand, ModelsThatDoNotGoTogether) {
    const std::string larger = folder_.path("larger");
    write_model(larger);
    std::filesystem::remove(joint_vocabulary_path(larger));
    VocabularyConfig vocabulary;
    vocabulary.type = VocabularyType::word;
    train_vocabulary_on({"the cat sees the zebra", "a tall house is a house", "the zebra is tall"}, vocabulary, 12,
                        joint_vocabulary_path(larger));
    const std::string message = fault(ExitCode::model, {"--model", one_, "--model", larger});
    EXPECT_NE(message.find(one_ + " and " + larger +
                           " cannot be one ensemble: their target vocabularies differ (the "
                           "piece of id "),
              std::string::npos)
        << message;
    const std::string backwards = folder_.path("backwards");
    Config config = small_model_config();
    config.model.decoder.reverse_target = true;
    write_model(backwards, config);
    EXPECT_NE(fault(ExitCode::model, {"--model", one_, "--model", backwards})
                  .find(one_ + " writes from left to right, " + backwards + " from right to left"),
              std::string::npos);
    EXPECT_EQ(fault(ExitCode::usage, {"--model", backwards, "--prefixes", target_}),
              "--prefixes: a model that writes from right to left cannot take prefixes");
    EXPECT_EQ(fault(ExitCode::usage, {"--model", one_, "--model", two_, "--ensemble-weights", "1"}),
              "--ensemble-weights: the weights of the ensemble are 1 for 2 models; give one for each, in their order");
    EXPECT_NE(fault(ExitCode::usage, {"--model", one_, "--ensemble-weights", "0"}).find("a sum above 0"),
              std::string::npos);
    EXPECT_THROW(translate({"--model", one_, "--ensemble", "median"}), CLI::ValidationError);
    EXPECT_THROW(translate({}), CLI::RequiredError);
    EXPECT_NE(fault(ExitCode::model, {"--model", one_, "--model", folder_.path("nowhere")}).find("nowhere"),
              std::string::npos);
}

}  // namespace
}  // namespace softalign
