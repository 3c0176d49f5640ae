// A whole training, killed at each of the calls that it makes on the files of its directory.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "faults/whole_training.h"

namespace softalign::faults {
namespace {

TEST_F(WholeTraining, KilledAtAnyCallEndsWithTheSameBytes) {
    expect_kills_to_lose_nothing();
}

TEST_F(WholeTraining, APowerCutAtAnyCallLosesNothingThatCountsAsSaved) {
    for (std::int64_t n = 1; n <= count(); ++n) {
        if (!in_a_row_of_writes(n) && !is_unnamed(n)) {
            const Ending cut = with(Fault::power_cut, n, n);
            ASSERT_TRUE(cut.killed()) << n << ": " << cut.text;
            expect_to_end_well(n, "power cut at " + at(n).text, saves_if_killed_at(n));
        }
    }
}

TEST_F(WholeTraining, KilledAgainWhileItResumesEndsWithTheSameBytes) {
    for (std::int64_t n = 40; n <= count(); n += count() / 4) {
        for (std::int64_t m = 1;; m += 101) {
            ASSERT_TRUE(with(Fault::kill, n, n).killed());
            const bool again = with(Fault::kill, m, m).killed();
            expect_to_end_well(n, "killed at " + at(n).text + " and after " + std::to_string(m) + " calls more",
                               SmallRun::Saves::some_failed);
            if (!again) {
                break;
            }
        }
    }
}

}  // namespace
}  // namespace softalign::faults
