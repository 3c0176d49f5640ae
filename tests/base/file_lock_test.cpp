#include "base/files.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/temporary_folder.h"

namespace softalign {
namespace {

std::string refusal(const std::string& path) {
    try {
        const FileLock lock(path);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::output);
        return error.what();
    }
    return "";
}

class FileLockTest : public testing::Test {
protected:
    TemporaryFolder folder_;
    const std::string path_ = folder_.path("lock");
};

// Holds the lock, says so, and waits for its end.
[[noreturn]] void hold(const std::string& path, int ready) {
    try {
        const FileLock lock(path);
        const char byte = 'r';
        (void)!::write(ready, &byte, 1);
        ::pause();
    } catch (const Error&) {
        ::_exit(1);
    }
    ::_exit(0);
}

TEST_F(FileLockTest, OneHoldsItAtATime) {
    auto lock = std::make_unique<FileLock>(path_);
    const std::string message = refusal(path_);
    EXPECT_NE(message.find("process " + std::to_string(::getpid()) + " is training into this directory"),
              std::string::npos)
        << message;
    lock.reset();
    EXPECT_EQ(refusal(path_), "");
}

TEST_F(FileLockTest, TheFileGoesWithTheLockUnlessItIsKeptOrWasThere) {
    { const FileLock lock(path_); }
    EXPECT_FALSE(std::filesystem::exists(path_));
    {
        FileLock lock(path_);
        lock.keep();
    }
    EXPECT_TRUE(std::filesystem::exists(path_));
    { const FileLock lock(path_); }
    EXPECT_TRUE(std::filesystem::exists(path_)) << "it was there before";
}

TEST_F(FileLockTest, GoesWithAProcessThatIsKilled) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        hold(path_, ready[1]);
    }
    ::close(ready[1]);  // so that reading ends where the child does
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    EXPECT_NE(refusal(path_).find("process " + std::to_string(child)), std::string::npos);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_EQ(refusal(path_), "");
    ::close(ready[0]);
}

TEST_F(FileLockTest, NeedsADirectory) {
    EXPECT_NE(refusal(folder_.path("not there/lock")).find("cannot be made"), std::string::npos);
}

}  // namespace
}  // namespace softalign
