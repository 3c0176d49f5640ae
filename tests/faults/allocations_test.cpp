// A whole training that finds no memory, at moments of all its phases.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdint>
#include <string>

#include "faults/whole_training.h"
#include "platform/tight_memory.h"

namespace softalign::faults {
namespace {

// It makes too many to try them all: so many, spread evenly, fall into every phase.
constexpr std::int64_t trials = 60;

// nlohmann's ordered objects, and SentencePiece's messages while a vocabulary is loaded, are destroyed half made: about
// one allocation in a thousand is there.
constexpr int most_crashes = 2;

TEST_F(WholeTraining, AnAllocationThatFailsEndsItAtTheWorst) {
    if (sanitized) {
        GTEST_SKIP() << "a sanitizer's own allocator is left in place";
    }
    ASSERT_TRUE(with(Fault::none, 0, 0, true).exited_with(0));
    const std::int64_t allocations = log_.count();
    fs::remove_all(path("run"));
    int crashes = 0;
    for (std::int64_t trial = 0; trial < trials; ++trial) {
        const std::int64_t n = trial * allocations / trials + 1 + trial;
        const std::string what = "no memory for allocation " + std::to_string(n) + " of " + std::to_string(allocations);
        const Ending ended = with(Fault::fail, n, n, true);
        // The destructor of nlohmann's json allocates, and may not throw.
        const bool crashed = WIFSIGNALED(ended.status) && WTERMSIG(ended.status) == SIGSEGV;
        EXPECT_TRUE(WIFEXITED(ended.status) || WTERMSIG(ended.status) == SIGABRT || crashed)
            << what << ": " << ended.text << " (status " << ended.status << ")";
        crashes += crashed ? 1 : 0;
        expect_to_end_well(for_ever, what, SmallRun::Saves::some_failed);
    }
    EXPECT_LE(crashes, most_crashes);
}

}  // namespace
}  // namespace softalign::faults
