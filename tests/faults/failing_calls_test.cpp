// A whole training, each of whose calls on files fails.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "faults/whole_training.h"

namespace softalign::faults {
namespace {

TEST_F(WholeTraining, AnyCallThatFailsOnceChangesNothing) {
    for (std::int64_t n = 1; n <= count(); ++n) {
        if (!in_a_row_of_writes(n) && !reads_checkpoint(n) && !is_another_of_its_file(n)) {
            const std::string what = "failed at " + at(n).text;
            expect_no_crash(with(Fault::fail, n, n), what);
            expect_to_end_well(n, what, SmallRun::Saves::some_failed);
        }
    }
}

TEST_F(WholeTraining, ADiskThatIsFullFromAnyCallOnCostsNothingThatWasSaved) {
    for (std::int64_t n = 1; n <= count(); ++n) {
        if (!in_a_row_of_writes(n) && !reads_checkpoint(n) && !is_another_of_its_file(n)) {
            const std::string what = "full from " + at(n).text;
            expect_no_crash(with(Fault::full_disk, n, for_ever), what);
            expect_to_end_well(n, what, SmallRun::Saves::some_failed);
        }
    }
}

TEST_F(WholeTraining, ADiskThatIsFullForAWhileChangesNothing) {
    for (std::int64_t n = 1; n <= count(); n += 9) {
        if (!in_a_row_of_writes(n) && !reads_checkpoint(n)) {
            const std::string what = "full for a while from " + at(n).text;
            expect_no_crash(with(Fault::full_disk, n, n + 150), what);
            expect_to_end_well(n, what, SmallRun::Saves::some_failed);
        }
    }
}

}  // namespace
}  // namespace softalign::faults
