#include "journal/progress.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <spdlog/spdlog.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "journal/log.h"

namespace softalign {
namespace {

ProgressState at_update(std::int64_t update) {
    ProgressState state;
    state.epoch = 1;
    state.update = update;
    state.position = update;
    state.batches_in_epoch = 100;
    state.loss = 1.5;
    return state;
}

TEST(Progress, WithoutATerminalAPlainLineNowAndThen) {
    testing::internal::CaptureStderr();
    set_up_logging(LogLevel::info);
    {
        Progress progress(10);
        for (int update = 1; update <= 25; ++update) {
            progress.show(at_update(update));
            progress.show(at_update(update));
        }
        progress.clear();
    }
    const std::string talk = testing::internal::GetCapturedStderr();
    EXPECT_EQ(std::count(talk.begin(), talk.end(), '\n'), 2) << talk;
    EXPECT_NE(talk.find("update 10  loss 1.500"), std::string::npos);
    EXPECT_NE(talk.find("update 20  loss 1.500"), std::string::npos);
    EXPECT_EQ(talk.find('\r'), std::string::npos);
    EXPECT_EQ(talk.find('\033'), std::string::npos);
}

// What a terminal of 60 columns receives while `body` runs.
template <typename Body>
std::string on_terminal(Body body) {
    const char* const end = "(end)";
    winsize size{};
    size.ws_row = 24;
    size.ws_col = 60;
    int terminal = -1;
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
    if (child < 0) {
        ADD_FAILURE() << "forkpty: " << std::strerror(errno);
        return {};
    }
    if (child == 0) {
        ::setenv("TERM", "xterm", 1);
        body();
        std::fputs(end, stderr);
        std::fflush(stderr);
        while (true) {
            ::pause();  // a terminal can lose what was written just before its last user ends
        }
    }
    std::string received;
    char buffer[4096];
    ssize_t count = 0;
    while (received.find(end) == std::string::npos &&
           ((count = ::read(terminal, buffer, sizeof buffer)) > 0 || (count < 0 && errno == EINTR))) {
        received.append(buffer, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
    received.erase(std::min(received.find(end), received.size()));
    ::kill(child, SIGKILL);
    ::close(terminal);
    ::waitpid(child, nullptr, 0);
    return received;
}

// Containers and build machines may have no pseudo-terminals.
class ProgressOnTerminal : public testing::Test {
protected:
    void SetUp() override {
        int terminal = -1;
        int user = -1;
        if (::openpty(&terminal, &user, nullptr, nullptr, nullptr) != 0) {
            GTEST_SKIP() << "no pseudo-terminal can be opened: " << std::strerror(errno);
        }
        ::close(terminal);
        ::close(user);
    }
};

TEST_F(ProgressOnTerminal, TheBarIsRedrawnInPlace) {
    const std::string seen = on_terminal([] {
        Progress progress(10);
        for (int update = 1; update <= 50; ++update) {
            progress.show(at_update(update));
        }
    });
    // Fifty updates in no time are drawn once, and the bar is taken away at the end.
    EXPECT_EQ(seen.find("\r\033[Kepoch 1  "), 0U) << seen;
    EXPECT_NE(seen.find("update 1 "), std::string::npos) << seen;
    EXPECT_EQ(seen.find("update 50"), std::string::npos) << seen;
    EXPECT_EQ(seen.substr(seen.size() - 4), "\r\033[K") << seen;
    EXPECT_EQ(seen.find('\n'), std::string::npos) << seen;
}

TEST_F(ProgressOnTerminal, LogLinesStandAboveTheBar) {
    const std::string seen = on_terminal([] {
        set_up_logging(LogLevel::info);
        Progress progress(10);
        progress.show(at_update(7));
        spdlog::info("a word");
        progress.clear();
        spdlog::info("another");
    });
    // The bar; gone; the word on a line of its own; the same bar; gone; the other word.
    const std::size_t bar = seen.find("update 7");
    const std::size_t gone = seen.find("\r\033[K", bar);
    const std::size_t word = seen.find("a word\r\n", gone);
    const std::size_t again = seen.find("update 7", word);
    const std::size_t last = seen.find("another\r\n", again);
    ASSERT_NE(last, std::string::npos) << seen;
    EXPECT_EQ(seen.find("update 7", last), std::string::npos) << seen;
    EXPECT_LT(again, seen.find("\r\033[K", again));
    EXPECT_LT(seen.find("\r\033[K", again), last);
}

TEST_F(ProgressOnTerminal, ClearedItIsDrawnAtOnceAgain) {
    const std::string seen = on_terminal([] {
        Progress progress(10);
        progress.show(at_update(1));
        progress.clear();
        progress.show(at_update(2));
    });
    EXPECT_NE(seen.find("update 2"), std::string::npos) << seen;
}

}  // namespace
}  // namespace softalign
