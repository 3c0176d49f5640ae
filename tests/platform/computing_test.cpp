#include "platform/computing.h"

#include <gtest/gtest.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <future>
#include <thread>
#include <utility>

#include "platform/process.h"

namespace softalign {
namespace {

// The end cannot be taken back, so it comes in a process of its own; in which `action` holds.
bool holds_in_child(const std::function<bool()>& action) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(60);
        ::_exit(action() ? 0 : 1);
    }
    int status = 0;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// A thread that computes until it is told to go on. It is not joined: it may never end.
class Thread {
public:
    explicit Thread(const std::function<void(std::future<void> go_on)>& body) {
        std::promise<void> started;
        std::future<void> has_started = started.get_future();
        std::thread([this, body, begins = std::move(started)]() mutable {
            const Computing computing;
            begins.set_value();
            body(go_on_.get_future());
        }).detach();
        has_started.wait();
    }
    void go_on() { go_on_.set_value(); }

private:
    std::promise<void> go_on_;
};

TEST(Computing, TheEndWaitsForThreadsThatCompute) {
    EXPECT_TRUE(holds_in_child([] {
        static bool done = false;
        Thread thread([](std::future<void> go_on) {
            const Computing nested;
            go_on.wait();
            done = true;
        });
        std::thread([&thread] { thread.go_on(); }).detach();
        end_computing();
        return done && computing_has_ended();
    }));
    EXPECT_FALSE(computing_has_ended());
}

TEST(Computing, TheEndDoesNotWaitForThreadsThatPause) {
    EXPECT_TRUE(holds_in_child([] {
        static bool done = false;
        std::promise<void> paused;
        std::promise<void> never;
        const auto thread = new Thread([&](std::future<void>) {
            const ComputingPause pause;
            paused.set_value();
            never.get_future().wait();
            done = true;
        });
        static_cast<void>(thread);
        paused.get_future().wait();
        end_computing();
        return !done;
    }));
}

TEST(Computing, TheEndOfAForkedProcessWaitsForItsOwnThreadsOnly) {
    const auto thread = new Thread([](std::future<void> go_on) { go_on.wait(); });
    EXPECT_TRUE(holds_in_child([] {
        end_computing();
        return true;
    }));
    EXPECT_FALSE(computing_has_ended());
    thread->go_on();
}

TEST(AfterFork, ActsInTheChildWhileItLives) {
    int forks = 0;
    const auto once_more = [&forks] { return holds_in_child([&forks] { return forks == 1; }); };
    {
        const AfterFork counting([&forks] { ++forks; });
        EXPECT_TRUE(once_more());
        EXPECT_TRUE(holds_in_child([&] { return holds_in_child([&] { return forks == 2; }); }));
        EXPECT_EQ(forks, 0);
    }
    EXPECT_FALSE(once_more());
}

}  // namespace
}  // namespace softalign
