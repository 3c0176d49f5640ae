#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/program.h"
#include "text/fixtures.h"

namespace softalign {
namespace {

struct VocabOutcome {
    std::string output;  // standard output
    std::string talk;    // standard error
};

class VocabCommand : public testing::Test {
protected:
    static VocabOutcome run(std::vector<std::string> arguments) {
        CLI::App program;
        Action action;
        add_vocab_command(program, action);
        arguments.insert(arguments.begin(), "vocab");
        std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes a vector
        program.parse(arguments);
        testing::internal::CaptureStdout();
        testing::internal::CaptureStderr();
        try {
            EXPECT_EQ(action(), 0);
        } catch (...) {
            testing::internal::GetCapturedStdout();
            testing::internal::GetCapturedStderr();
            throw;
        }
        VocabOutcome outcome;
        outcome.output = testing::internal::GetCapturedStdout();
        outcome.talk = testing::internal::GetCapturedStderr();
        return outcome;
    }

    std::string train(const std::vector<std::string>& options) {
        std::vector<std::string> arguments = {"train", "--input", text_, "--output", model_};
        arguments.insert(arguments.end(), options.begin(), options.end());
        return run(arguments).talk;
    }

    TemporaryFolder folder_;
    const std::string text_ = folder_.write("text.gz", gzip(joined(sample_sentences())));
    const std::string model_ = folder_.path("v.spm");
};

TEST_F(VocabCommand, TrainsEncodesAndDecodes) {
    EXPECT_EQ(train({"--type", "bpe", "--size", "80"}), model_ + ": 80 pieces from 600 sentences\n");
    const VocabOutcome pieces = run({"encode", "--model", model_, "--input", text_});
    EXPECT_EQ(pieces.talk, "");
    const std::string coded = folder_.write("pieces", pieces.output);
    EXPECT_EQ(run({"decode", "--model", model_, "--input", coded}).output, joined(sample_sentences()));
    const std::string ids = folder_.write("ids", run({"encode", "--ids", "--model", model_, "--input", text_}).output);
    EXPECT_EQ(read_bytes(ids).find_first_not_of("0123456789 \n"), std::string::npos);
    EXPECT_EQ(run({"decode", "--ids", "--model", model_, "--input", ids}).output, joined(sample_sentences()));
}

TEST_F(VocabCommand, KeepsUnknownTextInPiecesAndEmptyLinesEmpty) {
    train({"--type", "word", "--size", "200"});
    const std::string input = folder_.write("in", "haus foo bar\n\nfoo\n");
    const std::string pieces = run({"encode", "--model", model_, "--input", input}).output;
    EXPECT_EQ(pieces,
              "\xE2\x96\x81haus \xE2\x96\x81"
              "foo \xE2\x96\x81"
              "bar\n\n\xE2\x96\x81"
              "foo\n");
    EXPECT_EQ(run({"decode", "--model", model_, "--input", folder_.write("p", pieces)}).output,
              "haus foo bar\n\nfoo\n");
    const std::string ids = run({"encode", "--ids", "--model", model_, "--input", input}).output;
    EXPECT_EQ(run({"decode", "--ids", "--model", model_, "--input", folder_.write("i", ids)}).output,
              "haus <unk> <unk>\n\n<unk>\n");
}

TEST_F(VocabCommand, ShowsIdsPiecesAndScores) {
    train({"--type", "char", "--byte-fallback", "--size", "300", "--normalization", "identity", "--character-coverage",
           "0.99", "--sentences", "500"});
    const VocabOutcome shown = run({"show", "--model", model_});
    EXPECT_EQ(shown.output.substr(0, 51), "0\t<pad>\t0\n1\t<unk>\t0\n2\t<s>\t0\n3\t</s>\t0\n4\t<0x00>\t0\n5\t<");
    EXPECT_NE(shown.talk.find(model_ + ": char, 28"), std::string::npos) << shown.talk;
    EXPECT_NE(shown.talk.find("pad 0, unk 1, bos 2, eos 3\n"), std::string::npos);
}

TEST_F(VocabCommand, NamesTheLineOfAWrongId) {
    train({"--size", "80"});
    for (const std::string wrong : {"80", "-1", "x", "4x", "99999999999"}) {
        const std::string input = folder_.write("ids", "4 5\n6 " + wrong + "\n");
        EXPECT_EQ(error_of(ExitCode::data,
                           [&] {
                               run({"decode", "--ids", "--model", model_, "--input", input});
                           }),
                  input + ":2: \"" + wrong + "\" is not an id of this vocabulary; allowed are 0 to 79");
    }
}

TEST_F(VocabCommand, RefusesOrSkipsBadLines) {
    const std::string bad = folder_.write("bad", joined(sample_sentences()) + "\xFF\n");
    const std::vector<std::string> arguments = {"train", "--input", bad, "--output", model_, "--size", "80"};
    EXPECT_NE(error_of(ExitCode::data, [&] { run(arguments); }).find(bad + ":601:1: invalid UTF-8"), std::string::npos);
    std::vector<std::string> skipping = arguments;
    skipping.insert(skipping.end(), {"--on-bad-line", "skip"});
    EXPECT_EQ(run(skipping).talk, model_ + ": 80 pieces from 600 sentences (1 line left out: not UTF-8)\n");
}

TEST_F(VocabCommand, WantsKnownOptions) {
    EXPECT_THROW(run({}), CLI::ParseError);
    EXPECT_THROW(run({"train", "--input", text_}), CLI::ParseError);
    EXPECT_THROW(train({"--type", "wordpiece"}), CLI::ParseError);
    EXPECT_THROW(train({"--sentences", "-5"}), CLI::ParseError);
    EXPECT_THROW(run({"encode"}), CLI::ParseError);
    EXPECT_THROW(run({"show"}), CLI::ParseError);
}

}  // namespace
}  // namespace softalign
