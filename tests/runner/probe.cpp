#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace {

TEST(Probe, Before) {}

TEST(Probe, DoesAsItIsTold) {
    const char* const told = ::getenv("PROBE");
    const std::string what = told == nullptr ? "" : told;
    if (what == "fail") {
        FAIL();
    } else if (what == "skip") {
        GTEST_SKIP();
    } else if (what == "crash") {
        ::raise(SIGKILL);
    } else if (what == "exit") {
        ::exit(0);
    } else if (what == "hang") {
        ::pause();
    } else if (what == "directory") {
        EXPECT_EQ(::chdir("/"), 0);
    } else if (what == "mask") {
        ::umask(0123);
    } else if (what == "variable") {
        ::setenv("PROBE_LEFT_THIS", "1", 1);
    } else if (what == "limit") {
        const rlimit none{0, 0};
        ::setrlimit(RLIMIT_CORE, &none);
        const rlimit few{100, 100};
        ::setrlimit(RLIMIT_NOFILE, &few);
    } else if (what == "handler") {
        std::signal(SIGUSR1, SIG_IGN);
    }
}

TEST(Probe, Behind) {}

}  // namespace
