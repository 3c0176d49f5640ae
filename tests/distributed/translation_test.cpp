// Translating and scoring in several processes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "cli/command_test.h"
#include "cli/program_outcome.h"
#include "distributed/many_processes.h"
#include "distributed/transport.h"

namespace softalign {
namespace {

class TranslatingProcesses : public CommandTest {
protected:
    void SetUp() override {
        if (!has_transport()) {
            GTEST_SKIP() << "built without c10d";
        }
        write_model(model_);
        std::string text;
        for (int line = 0; line < 60; ++line) {
            text += model_sentences[static_cast<std::size_t>(line) % model_sentences.size()] + "\n";
        }
        input_ = folder_.write("input", text);
    }

    // Batches of two sentences, so that there is something for every process.
    Arguments translate(int processes, const Arguments& options) const {
        Arguments line = launched(processes);
        line.insert(line.end(), {"translate", "--model", model_, "--batch-size", "2", "--workers", "1"});
        line.insert(line.end(), options.begin(), options.end());
        return line;
    }

    static Arguments launched(int processes) {
        return processes > 1 ? Arguments{"launch", "--processes", std::to_string(processes), "--"} : Arguments{};
    }

    // Writes FILE.NUMBER for every option that names an output, and compares them with those of one process.
    void expect_same_outputs(const Arguments& options, const Arguments& outputs) const {
        for (const int processes : {1, 2, 3}) {
            Arguments line = translate(processes, options);
            for (const std::string& output : outputs) {
                line.insert(line.end(), {"--" + output, path(output, processes)});
            }
            expect_success(run_alone(folder_, line));
            for (const std::string& output : outputs) {
                EXPECT_FALSE(read_bytes(path(output, processes)).empty());
                EXPECT_EQ(read_bytes(path(output, processes)), read_bytes(path(output, 1)))
                    << output << " of " << processes << " processes";
            }
        }
    }

    std::string path(const std::string& output, int processes) const {
        return folder_.path(output + "." + std::to_string(processes));
    }

    // With standard input, and standard output and error in files.
    pid_t start(Arguments line, int input) const {
        const std::vector<char*> argv = argv_of(line);
        const std::string out = folder_.path("out");
        const std::string err = folder_.path("err");
        const pid_t process = ::fork();
        if (process == 0) {
            ::dup2(input, STDIN_FILENO);
            ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), STDOUT_FILENO);
            ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), STDERR_FILENO);
            ::alarm(120);
            ::execv(argv[0], argv.data());
            ::_exit(127);
        }
        return process;
    }

    static int status_of(pid_t process) {
        int status = 0;
        ::waitpid(process, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

    void wait_for_lines(std::size_t count) const {
        while (lines_of(read_bytes(folder_.path("out"))).size() < count) {  // the runner ends what waits for ever
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }

    std::string model_ = folder_.path("model");
    std::string input_;
};

TEST_F(TranslatingProcesses, WriteTheBytesOfOneProcess) {
    expect_same_outputs({"--input", input_, "--beam", "3", "--n-best", "2", "--json-attention"},
                        {"output", "json", "scores", "token-scores", "alignments"});
}

TEST_F(TranslatingProcesses, DrawWhatOneProcessDraws) {
    expect_same_outputs({"--input", input_, "--sample", "--n-best", "3", "--seed", "5"}, {"output", "scores"});
}

TEST_F(TranslatingProcesses, KeepConstraintsAndReplaceUnknownWords) {
    std::string prefixes;
    for (int line = 0; line < 60; ++line) {
        prefixes += line % 3 == 0 ? "the\n" : "\n";
    }
    expect_same_outputs({"--input", input_, "--prefixes", folder_.write("prefixes", prefixes), "--replace-unk",
                         "--dictionary", folder_.write("dictionary", "cat\tKatze\n")},
                        {"output", "json"});
}

TEST_F(TranslatingProcesses, ScoreAsOneProcessDoes) {
    for (const int processes : {1, 3}) {
        Arguments line = launched(processes);
        line.insert(line.end(), {"score", "--model", model_, "--source", input_, "--target", input_, "--batch-size",
                                 "2", "--workers", "1", "--tokens", "--output", path("scores", processes)});
        expect_success(run_alone(folder_, line));
    }
    EXPECT_EQ(read_bytes(path("scores", 3)), read_bytes(path("scores", 1)));
}

TEST_F(TranslatingProcesses, AnErrorOfTheInputIsSaidByAll) {
    const Outcome outcome =
        run_alone(folder_, translate(2, {"--input", folder_.write("latin", "a dog\n\xE4\n"), "--quiet"}));
    expect_fault(outcome, ExitCode::data, "latin:2:1: invalid UTF-8");
    EXPECT_TRUE(has(outcome.err, "rank 0 (")) << outcome.err;
    EXPECT_EQ(lines_of(outcome.out).size(), 1U);  // what came before it
}

TEST_F(TranslatingProcesses, AnotherModelIsNamed) {
    const std::string script = "w=$([ $RANK = 1 ] && echo --weights " + model_ + "/other.safetensors); ";
    const std::string command =
        std::string(SOFTALIGN_PROGRAM) + " translate --input " + input_ + " --model " + model_ + " $w";
    const std::string place = "WORLD_SIZE=2 SOFTALIGN_RENDEZVOUS=file://" + folder_.path("board") + " ";
    const std::string both = "(export RANK=1; " + script + place + command + ") 2> " + folder_.path("second") +
                             " > /dev/null & export RANK=0; " + script + place + command + " 2> " +
                             folder_.path("first") + " > /dev/null; s=$?; wait; exit $s";
    const int status = std::system(both.c_str());
    EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(ExitCode::configuration));
    for (const char* name : {"first", "second"}) {
        const std::string said = read_bytes(folder_.path(name));
        EXPECT_TRUE(has(said, "rank 1 (") && has(said, "another model than rank 0 (")) << said;
    }
}

TEST_F(TranslatingProcesses, MessagesNameTheOptionsOfTheCommand) {
    const std::string command = "RANK=0 WORLD_SIZE=2 SOFTALIGN_RENDEZVOUS=file://" + folder_.path("board") + " " +
                                SOFTALIGN_PROGRAM + " translate --model " + model_ + " --timeout 1 < /dev/null 2> " +
                                folder_.path("said");
    const int status = std::system(command.c_str());
    EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(ExitCode::processes));
    const std::string said = read_bytes(folder_.path("said"));
    EXPECT_TRUE(has(said, "rank 1 did not come within --timeout (1 s)")) << said;
}

TEST_F(TranslatingProcesses, AnswerEachLineOfAPipeAndOutlastItsPauses) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const pid_t launcher = start(translate(3, {"--quiet", "--timeout", "1"}), ends[0]);
    ::close(ends[0]);
    ASSERT_EQ(::write(ends[1], "a dog\n", 6), 6);
    wait_for_lines(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(2500));  // longer than the timeout
    ASSERT_EQ(::write(ends[1], "the cat\n", 8), 8);
    wait_for_lines(2);
    ::close(ends[1]);
    EXPECT_EQ(status_of(launcher), 0) << read_bytes(folder_.path("err"));
}

TEST_F(TranslatingProcesses, AHelperThatIsKilledIsNamedEvenWhileNothingIsToBeDone) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const pid_t launcher = start(translate(3, {"--quiet"}), ends[0]);
    ASSERT_EQ(::write(ends[1], "a dog\n", 6), 6);
    wait_for_lines(1);
    ::kill(ranks_of(launcher).at(2), SIGKILL);
    EXPECT_EQ(status_of(launcher), 128 + SIGKILL);
    ::close(ends[0]);
    ::close(ends[1]);
    const std::string said = read_bytes(folder_.path("err"));
    EXPECT_TRUE(has(said, "rank 2 (") && has(said, "start all processes again")) << said;
}

}  // namespace
}  // namespace softalign
