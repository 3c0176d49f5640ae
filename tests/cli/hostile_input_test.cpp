// Texts and configurations as people come by them, good and bad: what every command makes of them.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/program_outcome.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

std::ptrdiff_t line_feeds(const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
}

class HostileInput : public testing::Test {
protected:
    void SetUp() override { write_model(model_); }

    // A run of two updates without a report. `name` is what its files are called.
    Arguments training(const std::string& name, const std::string& source, const std::string& target) const {
        Config config = small_model_config();
        config.data.train_source = {source};
        config.data.train_target = {target};
        config.checkpoints.directory = folder_.path(name);
        config.vocabulary.size = 40;
        config.training.batch_size = 4;
        config.training.max_updates = 2;
        config.report.html = false;
        return {"train", folder_.write(name + ".yaml", to_yaml(config))};
    }

    // Commands that read a text: each has `file` in one place and `good` in another where it reads two.
    std::vector<Arguments> readers_of(const std::string& file, const std::string& good) const {
        return {
            {"translate", "--model", model_, "--quiet", "--input", file},
            {"translate", "--model", model_, "--quiet", "--input", good, "--prefixes", file},
            {"score", "--model", model_, "--quiet", "--source", file, "--target", good},
            {"score", "--model", model_, "--quiet", "--source", good, "--target", file},
            {"evaluate", "--hypotheses", file, "--references", good},
            {"evaluate", "--hypotheses", good, "--references", file},
            {"evaluate", "--model", model_, "--source", file, "--references", good},
            {"shortlist", "--model", model_, "--quiet", "--output", folder_.path("list"), "--source", good, "--target",
             file},
            {"vocab", "encode", "--model", model_ + "/joint.spm", "--input", file},
            {"vocab", "train", "--output", folder_.path("v.spm"), "--type", "word", "--size", "9", "--input", file},
            training("run 1", file, good),
            training("run 2", good, file),
        };
    }

    void expect_faults(const std::string& file, const std::string& message) const {
        for (const Arguments& command : readers_of(file, good_)) {
            SCOPED_TRACE(command[0] + " " + command[1] + " ... " + command.back());
            expect_fault(run_here(command), ExitCode::data, message);
        }
        EXPECT_FALSE(fs::exists(folder_.path("list")));
        EXPECT_FALSE(fs::exists(folder_.path("v.spm")));
        fs::remove_all(folder_.path("run 1"));
        fs::remove_all(folder_.path("run 2"));
    }

    TemporaryFolder folder_;
    const std::string model_ = folder_.path("model");
    const std::string good_ = folder_.write("good", joined(model_sentences));
};

TEST_F(HostileInput, WhatIsNoTextIsRefusedByEveryCommand) {
    const std::string advice = "); convert the file to UTF-8, for example with iconv";
    const std::string latin = folder_.write("latin", "a dog\nthe gr\xFCn cat\na\n\na\n");
    expect_faults(latin, latin + ":2:7: invalid UTF-8 (byte 0xFC" + advice);
    const std::string utf16 = folder_.write("utf16", "\xFF\xFE"s + "a\0 \0\n\0"s);
    expect_faults(utf16, utf16 + ":1:1: invalid UTF-8 (byte 0xFF" + advice);
    expect_faults(folder_.path("none"), folder_.path("none") + ": cannot open the file: No such file or directory");
    expect_faults(model_, model_ + ": is a directory; give a text file");
    const std::string packed = gzip(joined(model_sentences));
    const std::string cut = folder_.write("cut.gz", packed.substr(0, packed.size() - 9));
    expect_faults(cut, cut + ": the gzip data ends early; the file is truncated");
}

TEST_F(HostileInput, AnEmptyTextIsAFaultWhereTextIsNeeded) {
    const std::string empty = folder_.write("empty", "");
    const std::vector<Arguments> commands = readers_of(empty, empty);
    for (const Arguments& command : commands) {
        SCOPED_TRACE(command[0] + " " + command[1] + " ... " + command.back());
        const Outcome outcome = run_here(command);
        if (command[0] == "train" || command[1] == "train") {
            expect_fault(outcome, ExitCode::data, empty + ": the file is empty");
        } else if (command[0] == "shortlist") {
            expect_fault(outcome, ExitCode::data, " have no pair to count");
        } else if (command[0] == "evaluate") {
            expect_fault(outcome, ExitCode::data, "empty");
        } else {
            expect_success(outcome);
            EXPECT_EQ(outcome.out, "");
        }
    }
    const std::string blank = folder_.write("blank", "\n \n\xE2\x80\x89\n");
    expect_fault(run_here(training("blank run", blank, blank)), ExitCode::data,
                 "there is no text to train a vocabulary on: every line is empty or was left out");
}

TEST_F(HostileInput, SidesOfUnequalLengthAreRefusedWithBothCounts) {
    const std::string longer = folder_.write("longer", joined(model_sentences) + "a dog\n");
    for (const Arguments& command : readers_of(longer, good_)) {
        if (command[0] == "vocab" || (command[0] == "translate" && command.back() == longer && command.size() == 6)) {
            continue;  // those that read one text
        }
        SCOPED_TRACE(command[0] + " " + command[1] + " ... " + command.back());
        const Outcome outcome = run_here(command);
        expect_fault(outcome, ExitCode::data, command[0] == "translate" ? " has more lines than the 5 of " : " 5 ");
        expect_fault(outcome, ExitCode::data, command[0] == "translate" ? longer : " 6 ");
    }
}

// What Python, editors and browsers take for ends of lines is text here, and so for every command.
TEST_F(HostileInput, AllCommandsAgreeOnWhereLinesEnd) {
    const std::string text =
        "\xEF\xBB\xBF"  // a byte order mark
        "the cat\xE2\x80\xA8sees the dog\r\n"
        "a dog\xC2\x85 a\xE2\x80\xA9 house\x0B\x0C\x1C\n"
        "\xE2\x80\x8F\xE2\x80\xAE the \xE2\x80\xACsmall house\xE2\x80\x8E\n"  // marks of writing from the right
        "a\rdog\r\n"
        "a\0 cat\n"s
        "\r\n"
        "the end";
    constexpr std::ptrdiff_t lines = 7;
    const std::string file = folder_.write("strange", text);
    EXPECT_EQ(line_feeds(run_here({"translate", "--model", model_, "--quiet", "--input", file}).out), lines);
    EXPECT_EQ(line_feeds(run_here({"translate", "--model", model_, "--quiet", "--input", file, "--json", "-"}).out),
              lines);
    EXPECT_EQ(line_feeds(run_here({"score", "--model", model_, "--quiet", "--source", file, "--target", file}).out),
              lines);
    EXPECT_EQ(line_feeds(run_here({"vocab", "encode", "--model", model_ + "/joint.spm", "--input", file}).out), lines);
    const Outcome evaluated = run_here({"evaluate", "--hypotheses", file, "--references", file, "--sentence-level"});
    expect_success(evaluated);
    EXPECT_EQ(line_feeds(evaluated.out), lines);
    std::vector<std::string> train = training("run", file, file);
    train.insert(train.end(), {"--set", "data.valid_source=" + file, "--set", "data.valid_target=" + file});
    const Outcome trained = run_here(train);
    expect_success(trained);
    EXPECT_TRUE(has(trained.err, "training data: 1 of 7 pairs dropped: 1 with an empty side\n")) << trained.err;
    EXPECT_TRUE(has(trained.err,
                    "validation data: 1 of 7 pairs has an empty side; the scores of the translations count them, the "
                    "cross-entropy does not\n"))
        << trained.err;
}

TEST_F(HostileInput, TheSameTextOnBothSidesIsNoFault) {
    expect_success(run_here(training("run", good_, good_)));
    const Outcome outcome = run_here({"evaluate", "--hypotheses", good_, "--references", good_});
    expect_success(outcome);
    EXPECT_TRUE(has(outcome.out, "100.0")) << outcome.out;
}

TEST_F(HostileInput, AVocabularyLargerThanTheTextAllowsIsRefusedWithTheLargest) {
    Arguments command = training("run", good_, good_);
    for (const std::string type : {"bpe", "unigram"}) {
        SCOPED_TRACE(type);
        command.resize(2);
        command.insert(command.end(), {"--set", "vocabulary.type=" + type, "--set", "vocabulary.size=32000"});
        expect_fault(run_here(command), ExitCode::configuration,
                     "vocabulary.size: 32000 is too large for this text; the largest possible size is ");
        fs::remove_all(folder_.path("run"));
    }
    command.resize(2);  // of words there may be fewer than asked for
    command.insert(command.end(), {"--set", "vocabulary.size=32000"});
    expect_success(run_here(command));
}

TEST_F(HostileInput, AConfigurationThatIsNoneIsRefusedWithItsPlace) {
    std::string deep;
    for (int i = 0; i < 2000; ++i) {
        deep += "- ";
    }
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"model: &a\n  encoder: *a\n", ":1:8: YAML anchors and aliases (& and *) are not used here"},
        {"training:\n  seed: 1\n  seed: 2\n", ":3:3: training.seed is given twice; keep one"},
        {deep, ":1:17: nested deeper than 8 levels"},
        {"training:\n\tseed: 1\n", ":2:1: a tab in the indentation; YAML allows spaces only"},
        {"training: {seed: \0}\n"s, ":1:18: a control character"},
        {"# gr\xFCn\n", ":1:5: not valid UTF-8; save the file as UTF-8"},
        {"\xFF\xFEm\0o\0"s, ":1:1: not valid UTF-8; save the file as UTF-8"},
        {"\xFE\xFF\0m\0o"s, ":1:1: not valid UTF-8; save the file as UTF-8"},
        {"trainning:\r\n  seed: 1\r\n", ":1:1: unknown key trainning; did you mean training?"},
        {"\xEF\xBB\xBFtrainning: {}\n", "unknown key trainning; did you mean training?"},
    };
    for (const auto& [yaml, message] : cases) {
        SCOPED_TRACE(yaml.substr(0, 20));
        const std::string file = folder_.write("bad.yaml", yaml);
        expect_fault(run_here({"train", file}), ExitCode::configuration, message);
    }
    expect_fault(run_here({"train", model_}), ExitCode::configuration, model_ + ": a directory, not a configuration");
    expect_fault(run_here({"train", folder_.path("none")}), ExitCode::configuration,
                 folder_.path("none") + ": cannot be read: No such file or directory");
}

// Such as a shell's <(...) gives.
TEST_F(HostileInput, TextsAndConfigurationsMayComeFromFifos) {
    const std::string fifo = folder_.path("fifo");
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    const auto fed = [&](const Arguments& command, const std::string& text) {
        std::thread writer([&] { std::ofstream(fifo) << text; });
        const Outcome outcome = run_alone(folder_, command);
        writer.join();
        return outcome;
    };
    const std::string text = joined(model_sentences);
    EXPECT_EQ(fed({"translate", "--model", model_, "--input", fifo, "--quiet"}, text).out,
              run_here({"translate", "--model", model_, "--input", good_, "--quiet"}).out);
    // Both as processes of their own, which may have another BLAS kernel than this one and so round otherwise.
    EXPECT_EQ(fed({"score", "--model", model_, "--source", good_, "--target", fifo, "--quiet"}, text).out,
              run_alone(folder_, {"score", "--model", model_, "--source", good_, "--target", good_, "--quiet"}).out);
    expect_success(fed({"evaluate", "--hypotheses", fifo, "--references", good_}, text));
    expect_fault(fed({"train", fifo}, "training: {sede: 1}\n"), ExitCode::configuration,
                 fifo + ":1:12: unknown key training.sede; did you mean training.seed?");
    // Training reads its text more than once.
    expect_fault(run_alone(folder_, training("run", good_, fifo)), ExitCode::data,
                 fifo + ": a pipe or a device, and training reads its files more than once; write it to a file first");
}

}  // namespace
}  // namespace softalign
