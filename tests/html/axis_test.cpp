#include "html/chart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace softalign {
namespace {

const double not_a_number = std::numeric_limits<double>::quiet_NaN();
const double infinite = std::numeric_limits<double>::infinity();

void expect_usable(const Axis& axis) {
    EXPECT_LT(axis.low, axis.high);
    EXPECT_GE(axis.ticks.size(), 2U);
    EXPECT_LE(axis.ticks.size(), 12U);
    for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
        EXPECT_GE(axis.position(axis.ticks[i]), -1e-6);
        EXPECT_LE(axis.position(axis.ticks[i]), 1.0 + 1e-6);
        if (i > 0) {
            EXPECT_LT(axis.ticks[i - 1], axis.ticks[i]);
        }
    }
}

TEST(Axis, RoundNumbersAroundTheValues) {
    const Axis axis = make_axis({1.3, 7.9}, false, 5);
    expect_usable(axis);
    EXPECT_EQ(axis.ticks, (std::vector<double>{0, 2, 4, 6, 8}));
    EXPECT_DOUBLE_EQ(axis.position(4.0), 0.5);
}

TEST(Axis, FromZero) {
    EXPECT_EQ(make_axis({4000, 5000}, true, 5).low, 0.0);
    EXPECT_EQ(make_axis({-3, -1}, true, 4).high, 0.0);
}

TEST(Axis, ConstantSinglePointAndNothing) {
    for (const std::vector<double>& values :
         std::vector<std::vector<double>>{{5, 5, 5}, {0.0004}, {0.0}, {-3}, {}, {1.0, 1.0 + 1e-15}, {1e99}, {1e-300}}) {
        for (const bool from_zero : {false, true}) {
            const Axis axis = make_axis(values, from_zero, 5);
            expect_usable(axis);
            for (const double value : values) {
                EXPECT_GE(axis.position(value), -1e-9);
                EXPECT_LE(axis.position(value), 1.0 + 1e-9);
            }
        }
        expect_usable(make_tight_axis(values, 5));
    }
}

TEST(Axis, ValuesThatCannotBeDrawnAreLeftOut) {
    const Axis axis = make_axis({not_a_number, infinite, -infinite, 1e300, 1, 2}, false, 5);
    expect_usable(axis);
    EXPECT_GE(axis.low, 0.0);
    EXPECT_LE(axis.high, 3.0);
    expect_usable(make_axis({not_a_number}, false, 5));
    EXPECT_FALSE(is_drawable(not_a_number));
    EXPECT_FALSE(is_drawable(1e300));
    EXPECT_TRUE(is_drawable(-1e99));
}

TEST(TightAxis, EndsAtTheValues) {
    const Axis axis = make_tight_axis({50, 2305}, 5);
    EXPECT_EQ(axis.low, 50);
    EXPECT_EQ(axis.high, 2305);
    EXPECT_EQ(axis.ticks, (std::vector<double>{500, 1000, 1500, 2000}));
}

TEST(TickText, AsManyDigitsAsTheStepAsksFor) {
    EXPECT_EQ(tick_text(2000, 500), "2000");
    EXPECT_EQ(tick_text(0.5, 0.25), "0.5");
    EXPECT_EQ(tick_text(0.5, 0.05), "0.50");
    EXPECT_EQ(tick_text(0.0004, 0.0002), "0.0004");
    EXPECT_EQ(tick_text(0.002, 0.0005), "0.0020");
    EXPECT_EQ(tick_text(0.000001, 0.000001), "1e-6");
    EXPECT_EQ(tick_text(2e7, 1e7), "2e7");
    EXPECT_EQ(tick_text(0, 0.00001), "0");
}

TEST(ValueText, FewDigits) {
    EXPECT_EQ(value_text(35.862671), "35.863");
    EXPECT_EQ(value_text(4579.98, 4), "4580");
    EXPECT_EQ(value_text(1.25e-12), "1.25e-12");
    EXPECT_EQ(value_text(1e-5), "1e-5");
    EXPECT_EQ(value_text(12345678, 8), "12345678");
    EXPECT_EQ(value_text(not_a_number), "not finite");
}

}  // namespace
}  // namespace softalign
