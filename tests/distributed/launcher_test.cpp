#include "distributed/launcher.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/temporary.h"

namespace softalign {
namespace {

class LauncherTest : public testing::Test {
protected:
    int launch(int processes, const std::string& script) const {
        return launch_processes({processes, {"/bin/sh", "-c", "cd " + folder_.path() + "; " + script}});
    }

    std::string content(const std::string& name) const {
        std::ifstream file(folder_.path(name));
        return {std::istreambuf_iterator<char>(file), {}};
    }

    TemporaryDirectory folder_{"launcher-test"};
};

TEST_F(LauncherTest, EveryProcessKnowsItsPlace) {
    EXPECT_EQ(launch(3, "echo $RANK $LOCAL_RANK $WORLD_SIZE $LOCAL_WORLD_SIZE $MASTER_ADDR > out.$RANK"), 0);
    EXPECT_EQ(content("out.0"), "0 0 3 3 127.0.0.1\n");
    EXPECT_EQ(content("out.1"), "1 1 3 3 127.0.0.1\n");
    EXPECT_EQ(content("out.2"), "2 2 3 3 127.0.0.1\n");
}

TEST_F(LauncherTest, TheStatusIsThatOfTheFirstThatFailed) {
    EXPECT_EQ(launch(3,
                     "if [ $RANK = 1 ]; then touch failed; exit 6; fi; until [ -e failed ]; do sleep 0.01; done; "
                     "sleep 0.2; exit 4"),
              6);
}

TEST_F(LauncherTest, AKilledProcessIsAFailure) {
    EXPECT_EQ(launch(2, "if [ $RANK = 1 ]; then kill -9 $$; fi"), 128 + SIGKILL);
}

TEST_F(LauncherTest, ACommandThatIsNotThereIsAFailure) {
    EXPECT_EQ(launch_processes({2, {"/nonexistent/program"}}), 127);
}

// Starts it in a process of its own, waits until all `processes` are there, and returns the status after `action`.
int status_after(const std::string& folder, int processes, const std::string& script, int signal) {
    const pid_t launcher = ::fork();
    if (launcher == 0) {
        ::_exit(launch_processes({processes, {"/bin/sh", "-c", "cd " + folder + "; " + script}}));
    }
    for (int rank = 0; rank < processes; ++rank) {
        while (::access((folder + "/ready." + std::to_string(rank)).c_str(), F_OK) != 0) {
            ::usleep(10000);
        }
    }
    ::kill(launcher, signal);
    int status = 0;
    ::waitpid(launcher, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_F(LauncherTest, SignalsReachAllProcesses) {
    const std::string script =
        "trap 'touch got.$RANK; exit 75' TERM; touch ready.$RANK; while true; do sleep 0.01; done";
    EXPECT_EQ(status_after(folder_.path(), 2, script, SIGTERM), 75);
    EXPECT_EQ(::access(folder_.path("got.0").c_str(), F_OK), 0);
    EXPECT_EQ(::access(folder_.path("got.1").c_str(), F_OK), 0);
}

TEST_F(LauncherTest, TheProcessesEndWithTheLauncher) {
    const std::string script =
        "trap 'touch got.$RANK; exit 75' TERM; touch ready.$RANK; while true; do sleep 0.01; done";
    EXPECT_EQ(status_after(folder_.path(), 2, script, SIGKILL), 128 + SIGKILL);
    for (const char* name : {"got.0", "got.1"}) {
        while (::access(folder_.path(name).c_str(), F_OK) != 0) {  // the runner ends a test that waits for ever
            ::usleep(10000);
        }
    }
}

}  // namespace
}  // namespace softalign
