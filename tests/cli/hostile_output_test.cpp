// Places that cannot be written to, for every command that writes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/program_outcome.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

class HostileOutput : public testing::Test {
protected:
    void SetUp() override { write_model(model_); }

    // Commands that write to standard output.
    std::vector<Arguments> writers() const {
        const std::string weights = weights_path(model_);
        return {
            {"translate", "--model", model_, "--quiet", "--input", text_},
            {"translate", "--model", model_, "--quiet", "--input", text_, "--json", "-"},
            {"translate", "--model", model_, "--quiet", "--input", text_, "--output", other_, "--scores", "-"},
            {"score", "--model", model_, "--quiet", "--source", text_, "--target", text_},
            {"evaluate", "--hypotheses", text_, "--references", text_},
            {"vocab", "encode", "--model", joint_vocabulary_path(model_), "--input", text_},
            {"vocab", "show", "--model", joint_vocabulary_path(model_)},
            {"average", "--output", folder_.path("mean.safetensors"), weights, weights},
            {"info", "--config-reference"},
            {"info", "--model", model_, "--format", "json"},
            {"translate", "--help"},
            {"--version"},
        };
    }

    // Commands that write to `file`, and the option that names it.
    std::vector<Arguments> writers_to(const std::string& file) const {
        const Arguments translate = {"translate", "--model", model_, "--quiet", "--input", text_};
        std::vector<Arguments> commands;
        for (const std::string option : {"--output", "--json", "--scores", "--token-scores", "--alignments"}) {
            commands.push_back(translate);
            commands.back().insert(commands.back().end(), {option, file});
        }
        commands.push_back(
            {"score", "--model", model_, "--quiet", "--source", text_, "--target", text_, "--output", file});
        commands.push_back(
            {"shortlist", "--model", model_, "--quiet", "--source", text_, "--target", text_, "--output", file});
        commands.insert(
            commands.end(),
            {{"translate", "--model", model_, "--quiet", "--input", text_, "--output", other_, "--report", file},
             {"evaluate", "--model", model_, "--source", text_, "--references", text_, "--output", file},
             {"vocab", "train", "--input", text_, "--type", "word", "--size", "9", "--output", file},
             {"report", model_, "--output", file}});
        return commands;
    }

    // Those that write models, which are regular files.
    std::vector<Arguments> replacers_of(const std::string& file) const {
        const std::string weights = weights_path(model_);
        return {{"average", weights, weights, "--output", file}};
    }

    TemporaryFolder folder_;
    const std::string model_ = folder_.path("model");
    const std::string text_ = folder_.write("text", joined(model_sentences));
    const std::string other_ = folder_.path("other");
};

std::string name_of(const Arguments& command) {
    std::string name;
    for (const std::string& argument : command) {
        name += argument + " ";
    }
    return name;
}

TEST_F(HostileOutput, AFullDiskBehindStandardOutputIsToldByEveryCommand) {
    for (const Arguments& command : writers()) {
        SCOPED_TRACE(name_of(command));
        const Outcome outcome = run_here_onto("/dev/full", O_WRONLY, command);
        expect_fault(outcome, ExitCode::output, "standard output");
        expect_fault(outcome, ExitCode::output, ": No space left on device");
    }
    EXPECT_FALSE(fs::exists(other_)) << "left, although the command failed";
}

TEST_F(HostileOutput, AClosedStandardOutputIsToldByEveryCommand) {
    // What main puts in the place of one that is closed.
    for (const Arguments& command : writers()) {
        SCOPED_TRACE(name_of(command));
        const Outcome outcome = run_here_onto("/dev/null", O_RDONLY, command);
        expect_fault(outcome, ExitCode::output, "standard output");
        expect_fault(outcome, ExitCode::output, ": it is closed");
    }
    for (const Arguments& command : {writers().front(), writers().back()}) {
        const Outcome outcome = run_alone(folder_, command, [] { ::close(STDOUT_FILENO); });
        expect_fault(outcome, ExitCode::output, "standard output");
        expect_fault(outcome, ExitCode::output, ": it is closed");
    }
    EXPECT_EQ(read_bytes(text_), joined(model_sentences));
}

TEST_F(HostileOutput, AFullDeviceIsToldByEveryOptionThatNamesAFile) {
    for (const Arguments& command : writers_to("/dev/full")) {
        SCOPED_TRACE(name_of(command));
        expect_fault(run_here(command), ExitCode::output, "/dev/full: cannot write: No space left on device");
    }
    const std::string link = folder_.path("full.safetensors");
    fs::create_symlink("/dev/full", link);
    for (const Arguments& command : replacers_of(link)) {
        SCOPED_TRACE(name_of(command));
        expect_fault(run_here(command), ExitCode::output,
                     link + ": cannot write: it exists and is not a regular file; name another path");
    }
}

// What a regular file would have, and the file that a shell opened stays.
TEST_F(HostileOutput, DevicesAndFilesOfTheShellAreWrittenTo) {
    const std::string plain = folder_.path("plain");
    const std::string opened = folder_.path("opened");
    for (const std::size_t i : {std::size_t{0}, std::size_t{7}, std::size_t{8}, std::size_t{9}, std::size_t{10}}) {
        const Arguments command = writers_to("/dev/null")[i];
        SCOPED_TRACE(name_of(command));
        expect_success(run_here(command));
        expect_success(run_here(writers_to(plain)[i]));
        const int descriptor = ::open(opened.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        expect_success(run_here(writers_to("/dev/fd/" + std::to_string(descriptor))[i]));
        ::close(descriptor);
        EXPECT_NE(read_bytes(plain), "");
        EXPECT_EQ(read_bytes(opened), read_bytes(plain));
    }
}

TEST_F(HostileOutput, AFolderThatIsNotThereOrInTheWayIsTold) {
    const std::string absent = folder_.path("absent/file.safetensors");
    const std::string folder = folder_.path("folder.safetensors");
    fs::create_directory(folder);
    for (const auto& commands : {writers_to(absent), replacers_of(absent)}) {
        for (const Arguments& command : commands) {
            SCOPED_TRACE(name_of(command));
            expect_fault(run_here(command), ExitCode::output,
                         absent + ": cannot create the file: No such file or directory; create the directory " +
                             folder_.path("absent") + " first, or name another path");
        }
    }
    for (const auto& commands : {writers_to(folder), replacers_of(folder)}) {
        for (const Arguments& command : commands) {
            SCOPED_TRACE(name_of(command));
            expect_fault(run_here(command), ExitCode::output,
                         folder + ": cannot write: it exists and is not a regular file; name another path");
        }
    }
}

// The old file stays, and nothing is left beside it.
TEST_F(HostileOutput, AFileThatGrowsBeyondTheLimitIsTold) {
    const std::string file = folder_.write("old.safetensors", "old");
    const std::string message =
        ": cannot write: File too large; raise the limit of the shell (ulimit -f) or use another file system; the "
        "previous file is untouched";
    std::vector<Arguments> commands = replacers_of(file);
    const std::vector<Arguments> others = writers_to(file);
    commands.push_back(others.front());
    commands.insert(commands.end(), others.end() - 4, others.end());
    for (const Arguments& command : commands) {
        SCOPED_TRACE(name_of(command));
        const Outcome outcome = run_alone(folder_, command, [] {
            const struct rlimit limit { 16, 16 };
            ::setrlimit(RLIMIT_FSIZE, &limit);
            ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
        });
        expect_fault(outcome, ExitCode::output, message);
    }
    EXPECT_EQ(read_bytes(file), "old");
    EXPECT_EQ(folder_.files(), 4U) << "files are left";
}

}  // namespace
}  // namespace softalign
