#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "cli/command_test.h"

namespace softalign {
namespace {

// The lines that a command prints on standard output.
Arguments printed(void (*add_command)(CLI::App&, Action&), const Arguments& arguments) {
    return lines_of(output_of(add_command, arguments));
}

class ScoreCommand : public CommandTest {
protected:
    void SetUp() override { write_model(model_); }

    Arguments run(Arguments arguments) {
        arguments.insert(arguments.begin(), {"score", "--model", model_, "--device", "cpu"});
        return printed(&add_score_command, arguments);
    }

    std::string fault(ExitCode code, const Arguments& arguments) {
        return error_of(code, [&] { run(arguments); });
    }

    const std::string model_ = folder_.path("model");
    const std::string source_ = folder_.write("source", "the cat sees the dog\na dog\n\nthe house\n\n");
    const std::string target_ = folder_.write("target", "the dog sees a cat\nzebra\na small house\n\n  \n");
};

TEST_F(ScoreCommand, WritesASumAndACountForEachPair) {
    const Arguments lines = run({"--source", source_, "--target", target_});
    ASSERT_EQ(lines.size(), 5U);
    const Arguments tokens = {"6", "2", "4", "1", "1"};
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const Arguments columns = split(lines[i], '\t');
        ASSERT_EQ(columns.size(), 2U) << lines[i];
        EXPECT_LT(std::stod(columns[0]), 0.0);
        EXPECT_EQ(columns[0].size() - columns[0].find('.'), 7U) << columns[0];
        EXPECT_EQ(columns[1], tokens[i]);
    }
    EXPECT_NE(log_.text().find("5 pairs, 14 target tokens in "), std::string::npos) << log_.text();
    EXPECT_NE(log_.text().find("perplexity "), std::string::npos) << log_.text();
}

TEST_F(ScoreCommand, HasThePrecisionThatIsAskedFor) {
    const Arguments files = {"--source", source_, "--target", target_};
    const auto with = [&](const std::string& precision) {
        Arguments arguments = files;
        arguments.insert(arguments.end(), {"--precision", precision});
        return run(arguments);
    };
    const Arguments plain = run(files);
    EXPECT_NE(log_.text().find(" s (float32)"), std::string::npos) << log_.text();
    EXPECT_EQ(with("float32"), plain);
    const Arguments rounded = with("bfloat16");
    EXPECT_NE(log_.text().find(" s (bfloat16)"), std::string::npos) << log_.text();
    EXPECT_NE(rounded, plain);
    Config config = small_model_config();
    config.runtime.precision = Precision::bfloat16;
    write_model(model_, config);
    EXPECT_EQ(run(files), rounded);
    EXPECT_EQ(with("float32"), plain);
}

TEST_F(ScoreCommand, WritesTheTokensAndTheirShares) {
    const Arguments plain = run({"--source", source_, "--target", target_, "--quiet"});
    const Arguments lines = run({"--source", source_, "--target", target_, "--quiet", "--tokens"});
    EXPECT_EQ(log_.text(), "");
    ASSERT_EQ(lines.size(), plain.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const Arguments columns = split(lines[i], '\t');
        ASSERT_EQ(columns.size(), 4U) << lines[i];
        EXPECT_EQ(columns[0] + "\t" + columns[1], plain[i]);
        const Arguments pieces = split(columns[2], ' ');
        const Arguments log_probs = split(columns[3], ' ');
        EXPECT_EQ(std::to_string(pieces.size()), columns[1]);
        ASSERT_EQ(log_probs.size(), pieces.size());
        EXPECT_EQ(pieces.back(), "</s>");
        double sum = 0.0;
        for (const std::string& log_prob : log_probs) {
            sum += std::stod(log_prob);
        }
        EXPECT_NEAR(sum, std::stod(columns[0]), 1e-6 * static_cast<double>(pieces.size() + 1));
    }
    EXPECT_EQ(split(lines[1], '\t')[2], "<unk> </s>");
    EXPECT_EQ(split(lines[0], '\t')[2].substr(0, 6),
              "\xE2\x96\x81"
              "the");
}

TEST_F(ScoreCommand, ScoresATranslationAsTheSearchDid) {
    write_model(model_, small_model_config(), {{0, -50.0}, {2, -50.0}});  // pad and bos would be lost in the text
    const std::string input = folder_.write("input", joined(model_sentences));
    const std::string scores = folder_.path("scores");
    const std::string output = folder_.path("output");
    printed(&add_translate_command, {"translate", "--model", model_, "--device", "cpu", "--input", input, "--output",
                                     output, "--scores", scores, "--forbid-unk", "--quiet"});
    const Arguments given = run({"--source", input, "--target", output});
    const Arguments searched = lines_of(read_bytes(scores));
    ASSERT_EQ(given.size(), searched.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (!model_sentences[i].empty()) {  // translation passes empty lines by, with probability 1
            EXPECT_NEAR(std::stod(given[i]), std::stod(split(searched[i], '\t')[1]), 1e-4) << i;
        }
    }
}

TEST_F(ScoreCommand, BatchesWorkersAndFilesChangeNothing) {
    const Arguments expected = run({"--source", source_, "--target", target_});
    const std::string output = folder_.path("out");
    EXPECT_TRUE(
        run({"--source", source_, "--target", target_, "--batch-size", "1", "--workers", "3", "--output", output})
            .empty());
    const Arguments actual = lines_of(read_bytes(output));
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
        EXPECT_NEAR(std::stod(actual[i]), std::stod(expected[i]), 1e-5);
    }
    EXPECT_NE(run({"--source", source_, "--target", target_, "--weights", model_ + "/other.safetensors"}), expected);
}

// Batches of one pair make chunks of 64.
TEST_F(ScoreCommand, MoreThanAChunkComesInOrder) {
    Arguments lines;
    for (int i = 0; i < 150; ++i) {
        lines.push_back(i % 3 == 0 ? "a dog" : "the house is small");
    }
    const std::string text = folder_.write("many", joined(lines));
    const Arguments scores = run({"--source", text, "--target", text, "--batch-size", "1"});
    ASSERT_EQ(scores.size(), lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        EXPECT_EQ(scores[i], scores[i % 3 == 0 ? 0 : 1]);
    }
}

TEST_F(ScoreCommand, NothingInNothingOut) {
    const std::string empty = folder_.write("empty", "");
    EXPECT_TRUE(run({"--source", empty, "--target", empty}).empty());
    EXPECT_NE(log_.text().find("0 pairs, 0 target tokens in "), std::string::npos) << log_.text();
    EXPECT_EQ(log_.text().find("perplexity"), std::string::npos) << log_.text();
}

TEST_F(ScoreCommand, FaultsOfTheFiles) {
    const std::string shorter = folder_.write("shorter", "a\n");
    const std::string output = folder_.path("out");
    EXPECT_EQ(fault(ExitCode::data, {"--source", source_, "--target", shorter, "--output", output}),
              "the two sides do not have the same number of lines: " + source_ + " has 5 lines, " + shorter +
                  " has 1 line; line n of one must be the translation of line n of the other");
    EXPECT_FALSE(std::filesystem::exists(output));
    const std::string latin = folder_.write("latin1", "a\nb\xE4z\n");
    EXPECT_NE(fault(ExitCode::data, {"--source", source_, "--target", latin}).find(latin + ":2:2: invalid UTF-8"),
              std::string::npos);
    const std::string missing = folder_.path("missing");
    EXPECT_NE(fault(ExitCode::data, {"--source", missing, "--target", target_}).find(missing), std::string::npos);
    EXPECT_NE(fault(ExitCode::model, {"--source", source_, "--target", target_, "--weights", missing}).find(missing),
              std::string::npos);
    EXPECT_NE(
        fault(ExitCode::output, {"--source", source_, "--target", target_, "--output", missing + "/out"}).find(missing),
        std::string::npos);
}

TEST_F(ScoreCommand, FaultsOfTheCommandLine) {
    EXPECT_EQ(fault(ExitCode::usage, {"--source", "-", "--target", "-"}),
              "--source and --target cannot both be standard input");
    EXPECT_EQ(fault(ExitCode::usage, {"--source", source_}),
              "score takes either --target FILE, a translation of each line, or --n-best FILE, a list of several");
    EXPECT_THROW(run({"--source", source_, "--target", target_, "--batch-size", "0"}), CLI::ValidationError);
}

}  // namespace
}  // namespace softalign
