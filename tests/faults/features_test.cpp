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
    expect_kills_to_lose_nothing();
}

}  // namespace
}  // namespace softalign::faults
