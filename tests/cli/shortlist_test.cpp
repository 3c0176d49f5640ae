#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "base/error.h"
#include "cli/command_test.h"

namespace softalign {
namespace {

class ShortlistCommand : public CommandTest {
protected:
    void SetUp() override { write_model(model_); }

    // Makes a shortlist; the command itself prints nothing.
    void make(Arguments arguments) {
        arguments.insert(arguments.begin(), {"shortlist", "--model", model_, "--device", "cpu"});
        EXPECT_EQ(output_of(&add_shortlist_command, arguments), "");
    }
    void make() { make({"--source", source_, "--target", target_, "--quiet"}); }

    Arguments translate(Arguments arguments) {
        arguments.insert(arguments.begin(),
                         {"translate", "--model", model_, "--device", "cpu", "--quiet", "--input", input_});
        return lines_of(output_of(&add_translate_command, arguments));
    }

    std::string fault(ExitCode code, const Arguments& arguments) {
        return error_of(code, [&] { make(arguments); });
    }

    const std::string model_ = folder_.path("model");
    const std::string source_ = folder_.write("source", "the cat sees the dog\na dog\n\nthe house\n\n");
    const std::string target_ = folder_.write("target", "the dog sees a cat\nzebra\na small house\nsmall\n  \n");
    const std::string input_ = folder_.write("input", joined(model_sentences));
    const std::string list_ = model_ + "/shortlist.txt";
};

TEST_F(ShortlistCommand, WritesATableIntoTheModelsDirectory) {
    make({"--source", source_, "--target", target_});
    const Arguments lines = lines_of(read_bytes(list_));
    ASSERT_GT(lines.size(), 9U);
    EXPECT_EQ(lines.front(), "softalign shortlist 1");
    EXPECT_EQ(lines.back(), "end");
    // The end, the unknown piece, and the words of the target by their counts.
    const Arguments always = split(lines[3], ' ');
    ASSERT_EQ(always.size(), 1U + 2U * (2U + 6U)) << lines[3];
    EXPECT_EQ(always[2], "</s>");
    EXPECT_EQ(always[4], "<unk>");
    EXPECT_NE(log_.text().find("3 pairs in "), std::string::npos) << log_.text();
    EXPECT_NE(log_.text().find(list_ + ": 9 source pieces with "), std::string::npos) << log_.text();
    EXPECT_NE(log_.text().find(" translations each, 8 pieces always allowed"), std::string::npos) << log_.text();
}

TEST_F(ShortlistCommand, SizesAndWorkersDecideWhatTheySay) {
    const auto text_of = [&](Arguments arguments) {
        const std::string path = folder_.path("list");
        arguments.insert(arguments.begin(), {"--source", source_, "--target", target_, "--quiet", "--output", path});
        make(arguments);
        return read_bytes(path);
    };
    const Arguments lines = lines_of(text_of({"--best", "1", "--frequent", "2"}));
    EXPECT_EQ(split(lines[3], ' ').size(), 1U + 2U * (2U + 2U)) << lines[3];
    for (std::size_t i = 4; i + 1 < lines.size(); ++i) {
        EXPECT_LE(split(lines[i], ' ').size(), 2U + 3U * 2U) << lines[i];  // the best, and what is the same
    }
    EXPECT_NE(text_of({}), joined(lines));
    EXPECT_EQ(text_of({"--workers", "3", "--batch-size", "1"}), text_of({"--workers", "1", "--batch-size", "1"}));
    EXPECT_FALSE(std::filesystem::exists(list_));
    EXPECT_EQ(log_.text(), "");
}

TEST_F(ShortlistCommand, LongPairsAreLeftOut) {
    Config config = small_model_config();
    config.data.max_source_length = 2;
    write_model(model_, config);
    make({"--source", source_, "--target", target_});
    EXPECT_NE(log_.text().find("1 pairs are longer than the model was trained on and were left out"), std::string::npos)
        << log_.text();
    EXPECT_NE(log_.text().find("2 pairs in "), std::string::npos) << log_.text();
}

TEST_F(ShortlistCommand, ModelsThatWriteBackwardsHaveOneToo) {
    Config config = small_model_config();
    config.model.decoder.reverse_target = true;
    write_model(model_, config);
    make();
    EXPECT_EQ(translate({"--shortlist"}).size(), model_sentences.size());
}

TEST_F(ShortlistCommand, FaultsLeaveNothingBehind) {
    const Arguments files = {"--source", source_, "--target", target_};
    const std::string none = folder_.write("none", "\n\n\n\n\n");
    EXPECT_NE(fault(ExitCode::data, {"--source", source_, "--target", none}).find("have no pair to count"),
              std::string::npos);
    EXPECT_NE(
        fault(ExitCode::data, {"--source", source_, "--target", folder_.write("short", "a\n")}).find("has 1 line"),
        std::string::npos);
    EXPECT_EQ(fault(ExitCode::usage, {"--source", "-", "--target", "-"}),
              "--source and --target cannot both be standard input");
    EXPECT_NE(fault(ExitCode::output, {"--source", source_, "--target", target_, "--output", "/nowhere/list"})
                  .find("/nowhere/list"),
              std::string::npos);
    Config config = small_model_config();
    config.model.attention.type = AttentionType::none;
    write_model(model_, config);
    EXPECT_EQ(fault(ExitCode::model, files).find(model_ + ": the model has no attention"), 0U);
    EXPECT_FALSE(std::filesystem::exists(list_));
}

TEST_F(ShortlistCommand, TranslateKeepsToIt) {
    // A word at least, which this model would rather not write.
    const auto translate_some = [&](Arguments arguments) {
        arguments.insert(arguments.end(), {"--min-length", "1"});
        return translate(arguments);
    };
    const Arguments plain = translate_some({});
    // One that has nothing but "the" beside the end.
    make();
    Arguments lines = lines_of(read_bytes(list_));
    const Arguments always = split(lines[3], ' ');
    std::string the;
    for (std::size_t i = 1; i + 1 < always.size(); i += 2) {
        the = always[i + 1].find("the") != std::string::npos ? " " + always[i] + " " + always[i + 1] : the;
    }
    ASSERT_NE(the, "");
    const std::string narrow = folder_.write(
        "narrow", joined({lines[0], lines[1], lines[2], "always " + always[1] + " " + always[2] + the, "end"}));
    const Arguments found = translate_some({"--shortlist", narrow});
    ASSERT_EQ(found.size(), plain.size());
    std::size_t words = 0;
    for (const std::string& line : found) {
        for (const std::string& word : split(line, ' ')) {
            EXPECT_EQ(word, "the");
            ++words;
        }
    }
    EXPECT_GT(words, 0U);
    EXPECT_NE(found, plain);
    EXPECT_EQ(translate_some({"--shortlist", narrow, "--batch-size", "1"}), found);
    // Without a name it is the directory's, followed by other options or not.
    std::filesystem::copy_file(narrow, list_, std::filesystem::copy_options::overwrite_existing);
    EXPECT_EQ(translate_some({"--shortlist"}), found);
    EXPECT_EQ(translate_some({"--shortlist", "--beam", "3"}), found);
    EXPECT_EQ(translate_some({"--shortlist=" + narrow}), found);
    EXPECT_EQ(translate_some({}), plain);
}

TEST_F(ShortlistCommand, TheConfigurationMayAskForIt) {
    const Arguments plain = translate({});
    make({"--source", source_, "--target", target_, "--best", "0", "--frequent", "1"});
    const Arguments found = translate({"--shortlist"});
    ASSERT_NE(found, plain);
    Config config = small_model_config();
    config.search.shortlist = true;
    std::ofstream(config_path(model_)) << to_yaml(config);
    EXPECT_EQ(translate({}), found);
    EXPECT_EQ(translate({"--no-shortlist"}), plain);
    std::filesystem::remove(list_);
    EXPECT_EQ(error_of(ExitCode::model, [&] { translate({}); })
                  .find("model directory " + model_ +
                        " has no shortlist.txt; make one with: softalign "
                        "shortlist --model " +
                        model_),
              0U);
    EXPECT_EQ(translate({"--no-shortlist"}), plain);
    EXPECT_THROW(translate({"--no-shortlist", "--shortlist", "file"}), CLI::ParseError);
}

TEST_F(ShortlistCommand, OneOfAnotherVocabularyIsRefused) {
    make();
    train_vocabulary_on({"the cat sees another dog", "a small house is a house"}, small_model_config().vocabulary, 12,
                        joint_vocabulary_path(model_));
    EXPECT_NE(error_of(ExitCode::model, [&] { translate({"--shortlist"}); })
                  .find(list_ + ": made for another source vocabulary than the model's"),
              std::string::npos);
}

TEST_F(ShortlistCommand, EvaluateSearchesWithItToo) {
    make({"--source", source_, "--target", target_, "--quiet", "--best", "0", "--frequent", "1"});
    const std::string output = folder_.path("output");
    output_of(&add_evaluate_command, {"evaluate", "--model", model_, "--source", input_, "--references", input_,
                                      "--output", output, "--device", "cpu", "--shortlist"});
    EXPECT_EQ(lines_of(read_bytes(output)), translate({"--shortlist"}));
}

}  // namespace
}  // namespace softalign
