#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "base/strings.h"
#include "base/temporary_folder.h"

namespace softalign {
namespace {

using Lines = std::vector<std::string>;

// A program of three tests, the second of which does what it is told.
class RunnerTest : public testing::Test {
protected:
    // The exit status.
    int run(const std::string& what, const std::string& options = "--file=probe.cpp") const {
        const std::string command = "PROBE=" + what + " SOFTALIGN_TEST_SECONDS=1 " + shell_word(RUNNER_PROBE) + " " +
                                    options + " " + shell_word("--results=" + folder_.path("new/results")) + " > " +
                                    shell_word(folder_.path("out")) + " 2>&1";
        const int status = std::system(command.c_str());
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

    Lines lines(const std::string& name) const {
        std::ifstream file(folder_.path(name));
        Lines lines;
        for (std::string line; std::getline(file, line);) {
            lines.push_back(line);
        }
        return lines;
    }

    static Lines with_plan(const Lines& ends) {
        Lines all{"planned Probe.Before", "planned Probe.DoesAsItIsTold", "planned Probe.Behind"};
        all.insert(all.end(), ends.begin(), ends.end());
        return all;
    }

    const TemporaryFolder folder_;
};

TEST_F(RunnerTest, RecordsWhatBecameOfEachTest) {
    EXPECT_EQ(run("nothing"), 0);
    EXPECT_EQ(lines("new/results"),
              with_plan({"passed Probe.Before", "passed Probe.DoesAsItIsTold", "passed Probe.Behind"}));
    EXPECT_EQ(run("skip"), 0);
    EXPECT_EQ(lines("new/results"),
              with_plan({"passed Probe.Before", "skipped Probe.DoesAsItIsTold", "passed Probe.Behind"}));
    EXPECT_EQ(run("fail"), 1);
    EXPECT_EQ(lines("new/results"),
              with_plan({"passed Probe.Before", "failed Probe.DoesAsItIsTold", "passed Probe.Behind"}));
}

TEST_F(RunnerTest, TestsThatDoNotEndAreInThePlan) {
    for (const std::string what : {"crash", "exit", "hang"}) {
        SCOPED_TRACE(what);
        EXPECT_NE(run(what), 0);
        EXPECT_EQ(lines("new/results"), with_plan({"passed Probe.Before"}));
    }
    const Lines said = lines("out");
    ASSERT_FALSE(said.empty());
    EXPECT_EQ(said.back(), "Probe.DoesAsItIsTold takes longer than 1 seconds: it hangs");
}

TEST_F(RunnerTest, ATestThatChangesItsProcessFails) {
    for (const std::string what : {"directory", "mask", "variable", "limit", "handler"}) {
        SCOPED_TRACE(what);
        EXPECT_EQ(run(what), 1);
        EXPECT_EQ(lines("new/results"),
                  with_plan({"passed Probe.Before", "failed Probe.DoesAsItIsTold", "passed Probe.Behind"}));
    }
}

TEST_F(RunnerTest, RunsTheTestsOfAFileOrThoseOfAFilter) {
    EXPECT_EQ(run("nothing", "--gtest_filter=*.Behind"), 0);
    EXPECT_EQ(lines("new/results"), Lines({"planned Probe.Behind", "passed Probe.Behind"}));
    EXPECT_EQ(run("nothing", "--file=other.cpp"), 2);
}

}  // namespace
}  // namespace softalign
