#include "benchmark/measure.h"

#include <gtest/gtest.h>

#include <vector>

namespace softalign {
namespace {

Samples samples_of(const std::vector<double>& values) {
    Samples samples;
    for (const double value : values) {
        samples.add(value);
    }
    return samples;
}

TEST(Samples, TheMiddleOfAnOddNumberAndTheMeanOfTwoInTheMiddle) {
    EXPECT_EQ(samples_of({5.0, 1.0, 2.0}).median(), 2.0);
    EXPECT_EQ(samples_of({5.0, 1.0, 2.0, 4.0}).median(), 3.0);
    EXPECT_EQ(samples_of({7.0}).median(), 7.0);
}

TEST(Samples, KeepTheOrderInWhichTheyWereMeasured) {
    const Samples samples = samples_of({5.0, 1.0, 2.0});
    EXPECT_EQ(samples.values(), (std::vector<double>{5.0, 1.0, 2.0}));
    EXPECT_EQ(samples.lowest(), 1.0);
    EXPECT_EQ(samples.highest(), 5.0);
}

}  // namespace
}  // namespace softalign
