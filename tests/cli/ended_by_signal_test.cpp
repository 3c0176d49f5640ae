// Commands that a signal ends while their outputs are open, where the file system gives temporary files names.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "cli/program_outcome.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

class EndedBySignal : public testing::Test {
protected:
    void SetUp() override {
#if defined(SOFTALIGN_SANITIZED)
        GTEST_SKIP() << "a sanitizer has to be loaded first";
#endif
        write_model(model_);
        fs::create_directory(folder_.path("out"));
        fs::create_symlink(NAMED_FILES_ONLY, preloaded_);
    }

    static std::size_t files_in(const std::string& directory) {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), {}));
    }

    // Starts the command, which waits for input from a pipe, and ends it when so many files are there.
    void expect_none_left(Arguments command, std::size_t files, int signal) {
        SCOPED_TRACE(command.front() + " " + std::to_string(signal));
        const std::vector<char*> argv = argv_of(command);
        ::unlink(pipe_.c_str());
        ASSERT_EQ(::mkfifo(pipe_.c_str(), 0600), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            ::alarm(120);
            for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
                std::signal(number, SIG_DFL);  // a shell's background has one ignored
            }
            ::setenv("LD_PRELOAD", preloaded_.c_str(), 1);
            ::execv(argv[0], argv.data());
            ::_exit(127);
        }
        const int input = ::open(pipe_.c_str(), O_WRONLY | O_CLOEXEC);
        for (int tries = 0; tries < 12000 && files_in(out_) < files; ++tries) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        EXPECT_EQ(files_in(out_), files) << "the command did not come so far";
        ::kill(child, signal);
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
        EXPECT_EQ(files_in(out_), 0U);
        ::close(input);
    }

    TemporaryFolder folder_;
    const std::string model_ = folder_.path("model");
    const std::string out_ = folder_.path("out");
    const std::string preloaded_ = folder_.path("named_files_only.so");  // LD_PRELOAD is a list, with spaces between
    const std::string pipe_ = folder_.path("pipe");
    const std::string text_ = folder_.write("text", joined(model_sentences));
};

TEST_F(EndedBySignal, NoCommandLeavesTemporaryFiles) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        expect_none_left(
            {"translate", "--model", model_, "--input", pipe_, "--output", out_ + "/a", "--scores", out_ + "/b",
             "--token-scores", out_ + "/c", "--alignments", out_ + "/d", "--json", out_ + "/e"},
            5, signal);
        expect_none_left({"score", "--model", model_, "--source", pipe_, "--target", text_, "--output", out_ + "/a"}, 1,
                         signal);
        expect_none_left(
            {"shortlist", "--model", model_, "--source", pipe_, "--target", text_, "--output", out_ + "/a"}, 1, signal);
        expect_none_left({"report", model_, "--source", pipe_, "--output", out_ + "/a"}, 1, signal);
    }
}

}  // namespace
}  // namespace softalign
