// Files that a command line names twice.
#include "cli/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/every_option.h"
#include "cli/program_outcome.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

class TwoNames : public testing::Test {
protected:
    void SetUp() override { fs::current_path(folder_.path("")); }
    void TearDown() override { fs::current_path(before_); }

    static std::string fault_of_outputs(const std::string& one, const std::string& two) {
        FileNames names;
        names.writes("--one", one);
        names.writes("--two", two);
        return error_of(ExitCode::usage, [&] { names.check(); });
    }

    static std::string fault_of_input(const std::string& input, const std::string& output) {
        FileNames names;
        names.reads("--in", input);
        names.writes("--out", output);
        return error_of(ExitCode::usage, [&] { names.check(); });
    }

    TemporaryFolder folder_;
    const fs::path before_ = fs::current_path();
};

TEST_F(TwoNames, OfOneFileAreFoundOutWhateverTheyAre) {
    const std::string file = folder_.write("file", "text");
    fs::create_directory("folder");
    fs::create_symlink("file", "symbolic");
    fs::create_hard_link("file", "hard");
    fs::create_directory_symlink("folder", "other folder");
    for (const std::string other : {"file", "./file", "folder/../file", ".//file", "symbolic", "hard"}) {
        EXPECT_EQ(fault_of_outputs(file, other),
                  "--one and --two would both write to " + other + "; give them different files");
        EXPECT_EQ(fault_of_input(file, other), "--out " + other + " is a file that --in reads; give it another name");
    }
    // Those that are still to be written.
    for (const auto& [one, two] : std::vector<std::pair<std::string, std::string>>{{"new", "new"},
                                                                                   {"new", "./new"},
                                                                                   {"new", folder_.path("new")},
                                                                                   {"folder/new", "other folder/new"},
                                                                                   {"absent/new", "absent/./new"}}) {
        EXPECT_NE(fault_of_outputs(one, two), "") << two;
    }
}

TEST_F(TwoNames, OfDifferentFilesAreAllowed) {
    folder_.write("file", "text");
    folder_.write("other", "text");
    fs::create_directory("folder");
    FileNames names;
    names.reads("--in", "file");
    names.reads("--again", "./file");  // two readers of a file do not disturb each other
    names.reads("--none", "");
    names.reads("--nothing", "/dev/null");
    names.writes("--one", "other");
    names.writes("--two", "folder/file");
    names.writes("--three", "folder/other");
    names.writes("--nowhere", "/dev/null");
    names.writes("--nowhere-else", "/dev/null");
    names.writes("--device", "/dev/full");
    names.writes("--same-device", "/dev/full");
    names.writes("--none", "");
    names.writes("--no-either", "");
    EXPECT_NO_THROW(names.check());
}

TEST_F(TwoNames, StandardInputAndPipesHaveOneReader) {
    ASSERT_EQ(::mkfifo("pipe", 0600), 0);
    const auto fault = [](const std::string& one, const std::string& two) {
        FileNames names;
        names.reads("--one", one);
        names.reads("--two", two);
        return error_of(ExitCode::usage, [&] { names.check(); });
    };
    EXPECT_EQ(fault("-", "-"), "--one and --two cannot both be standard input");
    EXPECT_EQ(fault("pipe", "./pipe"), "--one and --two cannot both read ./pipe");
    const int saved = ::dup(STDIN_FILENO);
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    ::dup2(ends[0], STDIN_FILENO);
    EXPECT_EQ(fault("-", "/dev/stdin"), "--one and --two cannot both read /dev/stdin");
    ::dup2(saved, STDIN_FILENO);
    for (const int descriptor : {saved, ends[0], ends[1]}) {
        ::close(descriptor);
    }
    FileNames names;
    EXPECT_EQ(error_of(ExitCode::usage, [&] { names.reads_file("--in", "-", "it is read twice"); }),
              "--in -: it is read twice; give it a file");
}

TEST_F(TwoNames, StandardOutputIsTheFileThatItGoesTo) {
    const std::string file = folder_.write("file", "text");
    const int saved = ::dup(STDOUT_FILENO);
    ::dup2(::open(file.c_str(), O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
    const std::string outputs = fault_of_outputs("-", "file");
    const std::string input = fault_of_input("file", "-");
    ::dup2(saved, STDOUT_FILENO);
    ::close(saved);
    EXPECT_EQ(outputs, "--one and --two would both write to file; give them different files");
    EXPECT_EQ(input, "--out (standard output) is a file that --in reads; give it another name");
    EXPECT_EQ(fault_of_outputs("-", "-"),
              "--one and --two would both write to standard output; give them different files");
    FileNames names;
    EXPECT_EQ(error_of(ExitCode::usage, [&] { names.writes_file("--out", "-", "a page"); }),
              "--out -: a page; give it a file");
}

// For every command of the program.
class EveryName : public TwoNames {
protected:
    // The options that name files, but for those whose files are not read if others are written.
    std::vector<EveryOption> options(bool outputs) const {
        std::vector<EveryOption> found;
        for (const EveryOption& option : every_option(absent_)) {
            if (option.names_file() && is_output(option) == outputs && option.command != Arguments{"train"}) {
                found.push_back(option);
            }
        }
        return found;
    }

    static bool is_output(const EveryOption& option) {
        static const std::set<std::string> outputs = {"--output",       "--alignments", "--scores",
                                                      "--token-scores", "--json",       "--report"};
        return outputs.count(option.name) > 0;
    }

    // A whole command line with two options and what they need.
    Outcome run_with(const EveryOption& one, const std::string& first, const EveryOption& two,
                     const std::string& second) const {
        EveryOption both = one.name == "--n-best" ? one : two;
        both.needed = two.needed;
        for (auto at = one.needed.begin(); at != one.needed.end();) {
            const auto next = std::find_if(at + 1, one.needed.end(),
                                           [](const std::string& word) { return word.rfind("--", 0) == 0; });
            if (std::find(both.needed.begin(), both.needed.end(), *at) == both.needed.end()) {
                both.needed.insert(both.needed.end(), at, next);
            }
            at = next;
        }
        Arguments line = command_line_around(both, absent_);
        const auto put = [&line](const EveryOption& option, const std::string& value) {
            const auto there = std::find(line.begin(), line.end(), option.name);
            if (there != line.end()) {
                line.erase(there, there + 2);
            }
            if (option.is_positional()) {
                line.insert(line.begin() + static_cast<std::ptrdiff_t>(option.command.size()), value);
            } else {
                line.insert(line.end(), {option.name, value});
            }
        };
        put(one, first);
        put(two, second);
        return run_here(line);
    }

    const std::string absent_ = folder_.path("absent");
};

TEST_F(EveryName, OfTwoOutputsIsRefusedWhereTheyAreOneFile) {
    int pairs = 0;
    for (const EveryOption& one : options(true)) {
        for (const EveryOption& two : options(true)) {
            if (one.command == two.command && one.name < two.name) {
                SCOPED_TRACE(one.command.back() + " " + one.name + " " + two.name);
                expect_fault(run_with(one, "same", two, "./same"), ExitCode::usage, " would both write to ");
                ++pairs;
            }
        }
    }
    EXPECT_EQ(pairs, 15);
}

TEST_F(EveryName, OfAnOutputIsRefusedWhereItIsAnInput) {
    const std::string file = folder_.write("file.safetensors", "text");
    fs::create_hard_link(file, "link.safetensors");
    int pairs = 0;
    for (const EveryOption& output : options(true)) {
        for (const EveryOption& input : options(false)) {
            const bool whole = input.type == "FILE|-" || input.type == "FILE" || input.type == "FILE.safetensors";
            const bool without_each_other = output.command.front() == "evaluate" && input.name == "--hypotheses";
            if (input.command != output.command || !whole || without_each_other) {
                continue;
            }
            SCOPED_TRACE(output.command.back() + " " + output.name + " " + input.name);
            const Outcome outcome = run_with(output, "link.safetensors", input, file);
            expect_fault(outcome, ExitCode::usage, output.name + " link.safetensors is a file that ");
            ++pairs;
        }
    }
    EXPECT_GE(pairs, 40);
    EXPECT_EQ(read_bytes(file), "text");
}

// The parts of a model directory.
TEST_F(EveryName, OfAnOutputIsRefusedWhereItIsAPartOfTheModel) {
    write_model("model");
    const std::string text = folder_.write("text", joined(model_sentences));
    for (const std::string part : {"model.safetensors", "config.yaml", "joint.spm"}) {
        const std::string file = "model/" + part;
        const std::string bytes = read_bytes(file);
        const Arguments translate = {"translate", "--model", "model", "--input", text};
        for (Arguments command : {translate, Arguments{"score", "--model", "model", "--source", text, "--target", text},
                                  Arguments{"shortlist", "--model", "model", "--source", text, "--target", text},
                                  Arguments{"evaluate", "--model", "model", "--source", text, "--references", text},
                                  Arguments{"report", "model"}}) {
            SCOPED_TRACE(command.front() + " " + part);
            command.insert(command.end(), {"--output", file});
            expect_fault(run_here(command), ExitCode::usage, "--output " + file + " is a file that ");
        }
        EXPECT_EQ(read_bytes(file), bytes);
    }
}

TEST_F(EveryName, OfAnOutputIsRefusedWhereItIsTheShortlistOfTheModel) {
    write_model("model");
    const std::string text = folder_.write("text", joined(model_sentences));
    const std::string file = folder_.write("model/shortlist.txt", "candidates");
    for (Arguments command : {Arguments{"translate", "--model", "model", "--input", text},
                              Arguments{"score", "--model", "model", "--source", text, "--target", text},
                              Arguments{"evaluate", "--model", "model", "--source", text, "--references", text},
                              Arguments{"report", "model"}}) {
        SCOPED_TRACE(command.front());
        command.insert(command.end(), {"--output", file});
        expect_fault(run_here(command), ExitCode::usage, "--output " + file + " is a file that ");
    }
    EXPECT_EQ(read_bytes(file), "candidates");
}

TEST_F(EveryName, OfAReportIsRefusedWhereItIsATextOfTheRun) {
    const std::string text = folder_.write("text", joined(model_sentences));
    for (const bool validation : {false, true}) {
        Config config = small_model_config();
        config.training.max_updates = 1;
        if (validation) {
            config.data.valid_source = config.data.valid_target = text;
        } else {
            config.data.train_source = config.data.train_target = {text};
        }
        write_model("model", config);
        expect_fault(run_here({"report", "model", "--output", "./text"}), ExitCode::usage,
                     "--output ./text is a file that model reads");
    }
    EXPECT_EQ(read_bytes(text), joined(model_sentences));
}

TEST_F(EveryName, OfStandardOutputIsRefusedWhereItIsTheInput) {
    write_model("model");
    const std::string text = folder_.write("text", "a house");
    const std::string vocabulary = "model/joint.spm";
    for (const Arguments& command :
         {Arguments{"vocab", "encode", "--model", vocabulary, "--input", text},
          Arguments{"vocab", "decode", "--model", vocabulary, "--input", text}, Arguments{"benchmark", text}}) {
        expect_fault(run_here_onto(text, O_WRONLY | O_APPEND, command), ExitCode::usage,
                     "standard output is a file that ");
    }
    expect_fault(run_here_onto(vocabulary, O_WRONLY | O_APPEND, {"vocab", "show", "--model", vocabulary}),
                 ExitCode::usage, "standard output is a file that --model reads");
    expect_fault(run_here({"vocab", "encode", "--model", "-"}), ExitCode::usage, "a vocabulary is not text");
    EXPECT_EQ(read_bytes(text), "a house");
}

TEST_F(EveryName, OfOneStreamForTwoInputsIsRefused) {
    int pairs = 0;
    for (const EveryOption& one : options(false)) {
        for (const EveryOption& two : options(false)) {
            if (one.command == two.command && one.name < two.name && one.type == "FILE|-" && two.type == "FILE|-") {
                SCOPED_TRACE(one.command.back() + " " + one.name + " " + two.name);
                if (one.command.front() == "score" && one.name == "--n-best" && two.name == "--target") {
                    continue;  // one or the other
                }
                expect_fault(run_with(one, "-", two, "-"), ExitCode::usage, " cannot both be standard input");
                ++pairs;
            }
        }
    }
    EXPECT_GE(pairs, 20);
}

// "-" is standard output where text is written; where that cannot be, it is refused with the reason.
TEST_F(EveryName, OfStandardOutputIsNoFile) {
    for (const EveryOption& output : options(true)) {
        SCOPED_TRACE(output.command.back() + " " + output.name);
        Arguments line = command_line_around(output, absent_);
        line.insert(line.end(), {output.name, "-"});
        const Outcome outcome = run_here(line);
        if (output.type == "FILE|-") {
            EXPECT_TRUE(outcome.status != static_cast<int>(ExitCode::usage) ||
                        has(outcome.err, "--output and " + output.name + " would both write to standard output"))
                << outcome.err;
        } else {
            expect_fault(outcome, ExitCode::usage, output.name + " -: ");
        }
    }
    write_model("model");
    folder_.write("text", joined(model_sentences));
    const Arguments shortlist = {"shortlist", "--model", "model", "--source", "text", "--target", "text", "--quiet"};
    Arguments to_file = shortlist;
    to_file.insert(to_file.end(), {"--output", "list"});
    Arguments to_output = shortlist;
    to_output.insert(to_output.end(), {"--output", "-"});
    expect_success(run_here(to_file));
    EXPECT_EQ(run_here(to_output).out, read_bytes("list"));
    EXPECT_FALSE(fs::exists("-"));
}

}  // namespace
}  // namespace softalign
