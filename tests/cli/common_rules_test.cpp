// What all commands have in common, told by the program itself.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <torch/cuda.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/has.h"
#include "cli/fixtures.h"
#include "distributed/variables.h"

namespace softalign {
namespace {

struct CommandOutcome {
    int status = -1;
    std::string err;
};

// Runs the program with standard output on a pipe that nobody reads, or that is read to its end.
CommandOutcome run_program_file(const TemporaryFolder& folder, Arguments arguments, bool has_reader) {
    arguments.insert(arguments.begin(), SOFTALIGN_PROGRAM);
    std::vector<char*> argv;
    for (std::string& argument : arguments) {
        argv.push_back(argument.data());
    }
    argv.push_back(nullptr);
    const std::string err = folder.path("stderr");
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    if (!has_reader) {
        ::close(ends[0]);
    }
    const pid_t child = ::fork();
    if (child == 0) {
        const int file = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        ::dup2(ends[1], STDOUT_FILENO);
        ::dup2(file, STDERR_FILENO);
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }
    ::close(ends[1]);
    if (has_reader) {
        char buffer[4096];
        while (::read(ends[0], buffer, sizeof buffer) > 0) {
        }
        ::close(ends[0]);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), read_bytes(err)};
}

// The commands that write data to standard output, on a small model.
std::vector<Arguments> writing_commands(const TemporaryFolder& folder, const Config& config) {
    const std::string model = folder.path("model");
    write_model(model, config);
    const std::string text = folder.write("text", joined(model_sentences));
    const std::string weights = weights_path(model);
    return {
        {"translate", "--model", model, "--input", text},
        {"score", "--model", model, "--source", text, "--target", text},
        {"evaluate", "--model", model, "--source", text, "--references", text},
        {"evaluate", "--hypotheses", text, "--references", text},
        {"vocab", "show", "--model", joint_vocabulary_path(model)},
        {"vocab", "encode", "--model", joint_vocabulary_path(model), "--input", text},
        {"average", "--output", folder.path("mean.safetensors"), weights, weights},
        {"info", "--config-reference"},
        {"--help"},
        {"translate", "--help"},
        {"--version"},
    };
}

TEST(EveryCommand, EndsQuietlyWhereNobodyReadsItsOutput) {
    const TemporaryFolder folder;
    for (const Arguments& command : writing_commands(folder, small_model_config())) {
        SCOPED_TRACE(command.front() + " " + command.back());
        EXPECT_EQ(run_program_file(folder, command, true).status, 0);
        const CommandOutcome outcome = run_program_file(folder, command, false);
        EXPECT_EQ(outcome.status, static_cast<int>(ExitCode::reader_gone));
        if (command.front() != "vocab" || command[1] != "show") {  // which says on standard error what it shows
            EXPECT_EQ(outcome.err, "");
        }
    }
}

// All but those whose work the processes divide.
TEST(EveryCommand, RefusesToDoItsWorkInEachOfSeveralProcesses) {
    const TemporaryFolder folder;
    const Variables variables({{"RANK", "0"},
                               {"WORLD_SIZE", "2"},
                               {"LOCAL_RANK", "0"},
                               {"MASTER_ADDR", "127.0.0.1"},
                               {"MASTER_PORT", "29500"}});
    for (const Arguments& command : writing_commands(folder, small_model_config())) {
        const std::string& name = command.front();
        if (name == "translate" || name == "score") {
            continue;
        }
        SCOPED_TRACE(name + " " + command.back());
        const CommandOutcome outcome = run_program_file(folder, command, true);
        const bool only_tells = name == "info" || name.front() == '-';
        EXPECT_EQ(outcome.status, static_cast<int>(only_tells ? ExitCode::success : ExitCode::usage));
        EXPECT_EQ(has(outcome.err, name + " works in one process"), !only_tells) << outcome.err;
    }
}

TEST(EveryCommand, RefusesAnEmptyNameOfAFile) {
    const TemporaryFolder folder;
    const std::string model = folder.path("model");
    write_model(model, small_model_config());
    const std::string text = folder.write("text", joined(model_sentences));
    const Arguments translate = {"translate", "--model", model, "--input", text};
    const Arguments score = {"score", "--model", model, "--source", text, "--target", text};
    const auto with_empty = [](Arguments command, const std::string& option) {
        command.insert(command.end(), {option, ""});
        return command;
    };
    for (const Arguments& command :
         {with_empty(translate, "--weights"), with_empty(translate, "--prefixes"), with_empty(translate, "--phrases"),
          with_empty(translate, "--scores"), with_empty(translate, "--model"), with_empty(score, "--output"),
          with_empty({"evaluate", "--hypotheses", text}, "--references")}) {
        const std::string option = command[command.size() - 2];
        SCOPED_TRACE(command.front() + " " + option);
        const CommandOutcome outcome = run_program_file(folder, command, true);
        EXPECT_EQ(outcome.status, static_cast<int>(ExitCode::usage));
        EXPECT_EQ(outcome.err,
                  "softalign: error: " + option + ": the value is empty; give one, or leave the option out\n");
    }
    EXPECT_EQ(run_program_file(folder, {"train", ""}, true).status, static_cast<int>(ExitCode::usage));
}

TEST(EveryCommand, RunsWhereTheModelsConfigurationSays) {
    if (torch::cuda::is_available()) {
        GTEST_SKIP() << "needs a machine without CUDA";
    }
    const TemporaryFolder folder;
    Config config = small_model_config();
    config.runtime.device = DeviceChoice::cuda;
    std::vector<Arguments> commands = writing_commands(folder, config);
    commands.resize(3);
    for (Arguments command : commands) {
        SCOPED_TRACE(command.front());
        const CommandOutcome outcome = run_program_file(folder, command, true);
        EXPECT_EQ(outcome.status, static_cast<int>(ExitCode::configuration));
        EXPECT_EQ(outcome.err.find("softalign: error: device: cuda: there is no CUDA device: "), 0U) << outcome.err;
        command.insert(command.end(), {"--device", "cpu"});
        EXPECT_EQ(run_program_file(folder, command, true).status, 0);
    }
}

}  // namespace
}  // namespace softalign
