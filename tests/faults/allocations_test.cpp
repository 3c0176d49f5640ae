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

TEST_F(WholeTraining, AnAllocationThatFailsEndsItAtTheWorst) {
    if (sanitized) {
        GTEST_SKIP() << "a sanitizer's own allocator is left in place";
    }
    ASSERT_TRUE(with(Fault::none, 0, 0, true).exited_with(0));
    const std::int64_t allocations = log_.count();
    fs::remove_all(path("run"));
    for (std::int64_t trial = 0; trial < trials; ++trial) {
        const std::int64_t n = trial * allocations / trials + 1 + trial;
        const std::string what = "no memory for allocation " + std::to_string(n) + " of " + std::to_string(allocations);
        const Ending ended = with(Fault::fail, n, n, true);
        // The destructor of nlohmann's json allocates, and may not throw; its ordered objects, and SentencePiece's
        // messages while a vocabulary is loaded, are destroyed half made.
        EXPECT_TRUE(WIFEXITED(ended.status) || WTERMSIG(ended.status) == SIGABRT || WTERMSIG(ended.status) == SIGSEGV)
            << what << ": " << ended.text << " (status " << ended.status << ")";
        expect_to_end_well(for_ever, what, SmallRun::Saves::some_failed);
    }
}

}  // namespace
}  // namespace softalign::faults
