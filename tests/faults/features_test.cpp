// A short training of a Transformer on arrays, killed at each of the calls that it makes on the files of its directory.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "faults/whole_training.h"

namespace softalign::faults {
namespace {

class FeatureTraining : public WholeTraining {
    std::unique_ptr<const SmallRun> make_run(const std::string& folder) const override {
        return std::make_unique<const SmallFeatureRun>(folder);
    }
};

TEST_F(FeatureTraining, KilledAtAnyCallEndsWithTheSameBytes) {
    ASSERT_GT(count(), 50);
    for (std::int64_t n = 1; n <= count(); ++n) {
        if (leaves_nothing(n)) {
            continue;  // as at the first of these writes
        }
        const Ending killed = with(Fault::kill, n, n);
        ASSERT_TRUE(killed.killed()) << n << ": " << killed.text;
        ASSERT_EQ(log_.text(n), at(n).text);
        expect_to_end_well(n, "killed at " + at(n).text, saves_if_killed_at(n));
    }
}

}  // namespace
}  // namespace softalign::faults
