// The program between two pipes that stay open.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/fixtures.h"

namespace softalign {
namespace {

class RunningProgram {
public:
    // Standard error goes to the file `err`.
    RunningProgram(Arguments arguments, const std::string& err) {
        arguments.insert(arguments.begin(), SOFTALIGN_PROGRAM);
        std::vector<char*> argv;
        for (std::string& argument : arguments) {
            argv.push_back(argument.data());
        }
        argv.push_back(nullptr);
        int in[2];
        int out[2];
        EXPECT_EQ(::pipe2(in, O_CLOEXEC), 0);
        EXPECT_EQ(::pipe2(out, O_CLOEXEC), 0);
        child_ = ::fork();
        if (child_ == 0) {
            ::dup2(in[0], STDIN_FILENO);
            ::dup2(out[1], STDOUT_FILENO);
            ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
            ::execv(argv[0], argv.data());
            ::_exit(127);
        }
        ::close(in[0]);
        ::close(out[1]);
        in_ = in[1];
        out_ = out[0];
    }

    ~RunningProgram() {
        close_input();
        close_output();
        if (child_ > 0) {
            ::kill(child_, SIGKILL);
            ::waitpid(child_, nullptr, 0);
        }
    }
    RunningProgram(const RunningProgram&) = delete;
    RunningProgram& operator=(const RunningProgram&) = delete;

    void write(const std::string& text) const {
        EXPECT_EQ(::write(in_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }

    // The next line of its output, or "<end>".
    std::string line() const {
        std::string line;
        char byte = 0;
        while (::read(out_, &byte, 1) == 1) {
            if (byte == '\n') {
                return line;
            }
            line.push_back(byte);
        }
        return line + "<end>";
    }

    void close_input() { close(in_); }
    void close_output() { close(out_); }

    void interrupt() const { ::kill(child_, SIGINT); }

    // Waits for it to end by itself.
    int status() {
        int status = 0;
        EXPECT_EQ(::waitpid(child_, &status, 0), child_);
        child_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

private:
    static void close(int& descriptor) {
        if (descriptor >= 0) {
            ::close(descriptor);
        }
        descriptor = -1;
    }

    pid_t child_ = -1;
    int in_ = -1;
    int out_ = -1;
};

class TranslateStreaming : public testing::Test {
protected:
    void SetUp() override { write_model(folder_.path("model")); }

    Arguments command(const Arguments& options) const {
        Arguments arguments{"translate", "--model", folder_.path("model"), "--device", "cpu", "--quiet"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        return arguments;
    }

    // What the whole text gives from a file.
    Arguments from_file(const Arguments& sentences) const {
        RunningProgram program(command({"--input", folder_.write("text", joined(sentences))}), folder_.path("err"));
        Arguments lines;
        for (std::size_t i = 0; i < sentences.size(); ++i) {
            lines.push_back(program.line());
        }
        EXPECT_EQ(program.line(), "<end>");
        EXPECT_EQ(program.status(), 0);
        return lines;
    }

    TemporaryFolder folder_;
};

TEST_F(TranslateStreaming, EachLineIsAnsweredBeforeTheNextIsWritten) {
    const Arguments expected = from_file(model_sentences);
    for (const Arguments& options : {Arguments{}, {"--mode", "latency"}}) {
        RunningProgram program(command(options), folder_.path("err"));
        for (std::size_t i = 0; i < model_sentences.size(); ++i) {
            program.write(model_sentences[i] + "\n");
            EXPECT_EQ(program.line(), expected[i]);
        }
        program.close_input();
        EXPECT_EQ(program.line(), "<end>");
        EXPECT_EQ(program.status(), 0);
    }
    EXPECT_EQ(read_bytes(folder_.path("err")), "");
}

TEST_F(TranslateStreaming, HalfALineHoldsNothingBack) {
    const Arguments expected = from_file(model_sentences);
    RunningProgram program(command({}), folder_.path("err"));
    program.write(model_sentences[0] + "\n" + model_sentences[1] + "\n" + model_sentences[2].substr(0, 5));
    EXPECT_EQ(program.line(), expected[0]);
    EXPECT_EQ(program.line(), expected[1]);
    program.write(model_sentences[2].substr(5));
    program.close_input();
    EXPECT_EQ(program.line(), expected[2]);
    EXPECT_EQ(program.status(), 0);
}

TEST_F(TranslateStreaming, ThroughputGathersLinesAndAnswersFullChunks) {
    constexpr std::size_t chunk = 64;  // batches of one sentence
    const Arguments sentences(chunk + 2, model_sentences[0]);
    const Arguments expected = from_file(sentences);
    RunningProgram program(command({"--mode", "throughput", "--batch-size", "1"}), folder_.path("err"));
    program.write(joined(sentences));
    for (std::size_t i = 0; i < chunk; ++i) {
        EXPECT_EQ(program.line(), expected[i]);
    }
    program.close_input();
    EXPECT_EQ(program.line(), expected[chunk]);
    EXPECT_EQ(program.line(), expected[chunk + 1]);
    EXPECT_EQ(program.line(), "<end>");
    EXPECT_EQ(program.status(), 0);
}

// If the program waited for its input then, which stays open, this would not end.
TEST_F(TranslateStreaming, EndsWhereNobodyReadsAlthoughItsInputStaysOpen) {
    RunningProgram program(command({}), folder_.path("err"));
    program.write("a dog\n");
    EXPECT_NE(program.line(), "<end>");
    program.close_output();
    program.write("a dog\n");
    EXPECT_EQ(program.status(), static_cast<int>(ExitCode::reader_gone));
    EXPECT_EQ(read_bytes(folder_.path("err")), "");
}

TEST_F(TranslateStreaming, EndsAtABadLineAlthoughItsInputStaysOpen) {
    const Arguments expected = from_file({"a dog"});
    RunningProgram program(command({}), folder_.path("err"));
    program.write("a dog\nthe \xFF cat\na d");
    EXPECT_EQ(program.line(), expected[0]);
    EXPECT_EQ(program.line(), "<end>");
    EXPECT_EQ(program.status(), static_cast<int>(ExitCode::data));
    EXPECT_EQ(read_bytes(folder_.path("err")).find("softalign: error: standard input:2:5: invalid UTF-8"), 0U);
}

// The lines may arrive together or one by one, and be translated in one chunk or several.
TEST_F(TranslateStreaming, WritesWhatComesBeforeARuleThatCannotBeMet) {
    const Arguments expected = from_file(model_sentences);
    const std::string phrases = folder_.write("phrases", "\n\nzebra\n\n\n");
    for (const std::string mode : {"latency", "throughput"}) {
        RunningProgram program(command({"--mode", mode, "--phrases", phrases}), folder_.path("err"));
        program.write(joined(model_sentences));
        program.close_input();
        EXPECT_EQ(program.line(), expected[0]);
        EXPECT_EQ(program.line(), expected[1]);
        EXPECT_EQ(program.line(), "<end>");
        EXPECT_EQ(program.status(), static_cast<int>(ExitCode::data));
        EXPECT_EQ(read_bytes(folder_.path("err")).find("softalign: error: sentence 3: the phrase 'zebra'"), 0U);
    }
}

// What stands in a pipe cannot be counted before it is translated.
TEST_F(TranslateStreaming, MissesAReferenceBeforeItReplacesTheOutput) {
    const std::string kept = folder_.write("kept", "as it was\n");
    for (const std::size_t references : {4U, 6U}) {
        RunningProgram program(command({"--output", kept, "--report", folder_.path("page"), "--report-references",
                                        folder_.write("references", joined(Arguments(references, "a")))}),
                               folder_.path("err"));
        program.write(joined(model_sentences));
        program.close_input();
        EXPECT_EQ(program.status(), static_cast<int>(ExitCode::data));
        EXPECT_NE(read_bytes(folder_.path("err")).find("has " + std::to_string(references) + " lines, standard input"),
                  std::string::npos);
        EXPECT_EQ(read_bytes(kept), "as it was\n");
    }
}

TEST_F(TranslateStreaming, EndsOverAFaultyModelAlthoughItsInputStaysOpen) {
    RunningProgram program({"translate", "--model", folder_.path("none"), "--device", "cpu"}, folder_.path("err"));
    EXPECT_EQ(program.line(), "<end>");
    EXPECT_EQ(program.status(), static_cast<int>(ExitCode::model));
}

TEST_F(TranslateStreaming, AnInterruptFromTheKeyboardEndsItAtOnce) {
    RunningProgram program(command({}), folder_.path("err"));
    program.write("a dog\n");
    EXPECT_NE(program.line(), "<end>");
    program.interrupt();
    EXPECT_EQ(program.status(), -SIGINT);
}

}  // namespace
}  // namespace softalign
