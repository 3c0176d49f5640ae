// `score --n-best`.
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

class RescoreCommand : public CommandTest {
protected:
    void SetUp() override {
        // Without padding and begin of sentence, which texts leave out, no two entries have the same text.
        write_model(model_, small_model_config(), {{0, -50.0}, {2, -50.0}});
        Config config = small_model_config();
        config.model.decoder.reverse_target = true;
        config.search.length_alpha = 0.5;
        write_model(right_to_left_, config);
        list_ = folder_.write(
            "list", output_of(&add_translate_command, {"translate", "--device", "cpu", "--quiet", "--model", model_,
                                                       "--input", source_, "--n-best", "3", "--forbid-unk"}));
    }

    Arguments run(Arguments arguments) const {
        arguments.insert(arguments.begin(),
                         {"score", "--device", "cpu", "--model", right_to_left_, "--source", source_});
        return lines_of(output_of(&add_score_command, arguments));
    }

    std::string fault(ExitCode code, const Arguments& arguments) const {
        return error_of(code, [&] { run(arguments); });
    }

    // Column `column` of an entry, from 0.
    static std::string column(const std::string& line, std::size_t column) {
        std::size_t begin = 0;
        for (; column > 0; --column) {
            begin = line.find(" ||| ", begin) + 5;
        }
        return line.substr(begin, line.find(" ||| ", begin) - begin);
    }

    // What the model says of the entries as pairs of sentences: "log-probability<TAB>tokens".
    Arguments scores_of(const Arguments& entries) const {
        Arguments sources;
        Arguments targets;
        for (const std::string& line : entries) {
            sources.push_back(model_sentences.at(std::stoul(line)));
            targets.push_back(column(line, 1));
        }
        return lines_of(output_of(&add_score_command, {"score", "--device", "cpu", "--quiet", "--model", right_to_left_,
                                                       "--source", folder_.write("s", joined(sources)), "--target",
                                                       folder_.write("t", joined(targets))}));
    }

    const std::string model_ = folder_.path("model");
    const std::string right_to_left_ = folder_.path("r2l");
    const std::string source_ = folder_.write("source", joined(model_sentences));
    std::string list_;
};

TEST_F(RescoreCommand, AddsAFeatureThatIsTheLogProbability) {
    const Arguments before = lines_of(read_bytes(list_));
    const Arguments after = run({"--n-best", list_});
    ASSERT_EQ(after.size(), before.size());
    const Arguments scores = scores_of(before);
    for (std::size_t i = 0; i < before.size(); ++i) {
        const std::string features = column(after[i], 2);
        EXPECT_EQ(column(after[i], 0), column(before[i], 0));
        EXPECT_EQ(column(after[i], 1), column(before[i], 1));
        EXPECT_EQ(column(after[i], 3), column(before[i], 2));
        EXPECT_EQ(features.substr(0, 9), "Rescore= ");
        EXPECT_NEAR(std::stod(features.substr(9)), std::stod(split(scores[i], '\t')[0]), 1e-4);
    }
    EXPECT_NE(log_.text().find("13 entries of 5 sentences in "), std::string::npos) << log_.text();
}

TEST_F(RescoreCommand, ASecondModelAddsASecondFeature) {
    const std::string once = folder_.write("once", joined(run({"--n-best", list_, "--quiet"})));
    EXPECT_EQ(log_.text(), "");
    EXPECT_NE(fault(ExitCode::data, {"--n-best", once}).find(once + ":1: the entry has a feature Rescore already"),
              std::string::npos);
    const std::string twice = column(run({"--n-best", once, "--feature-name", "Again"}).front(), 2);
    EXPECT_NE(twice.find(" Again= "), std::string::npos) << twice;
}

TEST_F(RescoreCommand, InterpolatesWithTheModelsOwnNormalisation) {
    const Arguments plain = run({"--n-best", list_});
    Arguments sorted = run({"--n-best", list_, "--interpolate", "0.25"});
    ASSERT_EQ(sorted.size(), plain.size());
    const Arguments scores = scores_of(sorted);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const auto old = std::find_if(plain.begin(), plain.end(), [&](const std::string& line) {
            return column(line, 0) == column(sorted[i], 0) && column(line, 1) == column(sorted[i], 1);
        });
        ASSERT_NE(old, plain.end());
        const Arguments score = split(scores[i], '\t');
        const double norm = std::sqrt(std::stod(score[1]));
        EXPECT_NEAR(std::stod(column(sorted[i], 3)),
                    0.75 * std::stod(column(*old, 3)) + 0.25 * std::stod(score[0]) / norm, 1e-5);
        if (i > 0 && column(sorted[i], 0) == column(sorted[i - 1], 0)) {
            EXPECT_LE(std::stod(column(sorted[i], 3)), std::stod(column(sorted[i - 1], 3)));
        }
    }
    Arguments best;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (i == 0 || column(sorted[i], 0) != column(sorted[i - 1], 0)) {
            best.push_back(column(sorted[i], 1));
        }
    }
    ASSERT_EQ(best.size(), model_sentences.size());
    EXPECT_EQ(run({"--n-best", list_, "--interpolate", "0.25", "--best"}), best);
    EXPECT_NE(run({"--n-best", list_, "--interpolate", "1", "--best"}),
              run({"--n-best", list_, "--interpolate", "0", "--best"}));
}

// Batches of one pair make chunks of 64.
TEST_F(RescoreCommand, BatchesWorkersAndFilesChangeNothing) {
    const Arguments expected = run({"--n-best", list_});
    const std::string packed = folder_.write("list.gz", gzip(read_bytes(list_)));
    const std::string output = folder_.path("out");
    EXPECT_TRUE(run({"--n-best", packed, "--batch-size", "1", "--workers", "3", "--output", output}).empty());
    EXPECT_EQ(lines_of(read_bytes(output)).size(), expected.size());

    Arguments source;
    Arguments list;
    for (int i = 0; i < 100; ++i) {
        source.push_back("a dog");
        list.push_back(std::to_string(i) + " ||| the cat ||| 0");
        list.push_back(std::to_string(i) + " ||| a house ||| 0");
    }
    const Arguments many =
        lines_of(output_of(&add_score_command, {"score", "--device", "cpu", "--model", right_to_left_, "--source",
                                                folder_.write("many", joined(source)), "--n-best",
                                                folder_.write("long", joined(list)), "--batch-size", "1"}));
    ASSERT_EQ(many.size(), list.size());
    for (std::size_t i = 0; i < many.size(); ++i) {
        EXPECT_EQ(column(many[i], 0), std::to_string(i / 2));
        EXPECT_EQ(column(many[i], 2), column(many[i % 2], 2));
    }
}

TEST_F(RescoreCommand, SentencesWithoutEntries) {
    const std::string part = folder_.write("part", "1 ||| the dog ||| 1\n3 |||  ||| 2\n");
    EXPECT_EQ(run({"--n-best", part}).size(), 2U);
    EXPECT_NE(log_.text().find("3 of 5 sentences of " + source_ + " have no entry in " + part), std::string::npos)
        << log_.text();
    const std::string output = folder_.path("out");
    EXPECT_NE(fault(ExitCode::data, {"--n-best", part, "--interpolate", "1", "--best", "--output", output})
                  .find(part + ":1: sentence 0 has no entry before this one"),
              std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(output));
}

TEST_F(RescoreCommand, FaultsOfTheCommandLine) {
    EXPECT_EQ(fault(ExitCode::usage, {}),
              "score takes either --target FILE, a translation of each line, or --n-best FILE, a list of several");
    EXPECT_THROW(run({"--n-best", list_, "--target", source_}), CLI::ExcludesError);
    EXPECT_THROW(run({"--n-best", list_, "--tokens"}), CLI::ExcludesError);
    EXPECT_THROW(run({"--n-best", list_, "--best"}), CLI::RequiresError);
    EXPECT_THROW(run({"--n-best", list_, "--interpolate", "1.5"}), CLI::ValidationError);
    EXPECT_THROW(run({"--n-best", list_, "--feature-name", "a b"}), CLI::ValidationError);
    EXPECT_THROW(run({"--target", source_, "--interpolate", "0.5"}), CLI::RequiresError);
    EXPECT_EQ(
        error_of(ExitCode::usage,
                 [&] {
                     output_of(&add_score_command, {"score", "--model", model_, "--source", "-", "--n-best", "-"});
                 }),
        "--source and --n-best cannot both be standard input");
    const std::string bad = folder_.write("bad", "0 ||| a ||| 1\nfoo\n");
    EXPECT_NE(fault(ExitCode::data, {"--n-best", bad}).find(bad + ":2: not an entry"), std::string::npos);
}

}  // namespace
}  // namespace softalign
