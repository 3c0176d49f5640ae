#include "train/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace softalign {
namespace {

ScheduleConfig config_of(ScheduleType type) {
    ScheduleConfig config;
    config.type = type;
    return config;
}

TEST(Schedule, warm_up_is_linear_and_reaches_the_base_rate) {
    ScheduleConfig config = config_of(ScheduleType::constant);
    config.warmup = 10;
    const Schedule schedule(config, 2.0);
    EXPECT_DOUBLE_EQ(schedule.rate(1, 0), 0.2);
    EXPECT_DOUBLE_EQ(schedule.rate(5, 0), 1.0);
    EXPECT_DOUBLE_EQ(schedule.rate(10, 0), 2.0);
    EXPECT_DOUBLE_EQ(schedule.rate(1000, 7), 2.0);
}

TEST(Schedule, inverse_square_root_falls_from_the_end_of_the_warm_up) {
    ScheduleConfig config = config_of(ScheduleType::inverse_sqrt);
    config.warmup = 100;
    const Schedule schedule(config, 1e-3);
    EXPECT_DOUBLE_EQ(schedule.rate(50, 0), 5e-4);
    EXPECT_DOUBLE_EQ(schedule.rate(100, 0), 1e-3);
    EXPECT_DOUBLE_EQ(schedule.rate(400, 0), 5e-4);
    EXPECT_DOUBLE_EQ(schedule.rate(10000, 0), 1e-4);
}

TEST(Schedule, cosine_falls_to_the_minimum_and_stays_there) {
    ScheduleConfig config = config_of(ScheduleType::cosine);
    config.warmup = 100;
    config.updates = 1100;
    config.min_learning_rate = 1e-4;
    const Schedule schedule(config, 1e-3);
    EXPECT_DOUBLE_EQ(schedule.rate(50, 0), 5e-4);
    EXPECT_DOUBLE_EQ(schedule.rate(100, 0), 1e-3);
    EXPECT_NEAR(schedule.rate(350, 0), 1e-4 + 9e-4 * (0.5 + std::sqrt(0.125)), 1e-12);
    EXPECT_NEAR(schedule.rate(600, 0), 5.5e-4, 1e-12);
    EXPECT_DOUBLE_EQ(schedule.rate(1100, 0), 1e-4);
    EXPECT_DOUBLE_EQ(schedule.rate(5000, 0), 1e-4);
}

TEST(Schedule, halving_starts_after_the_given_epoch) {
    ScheduleConfig config = config_of(ScheduleType::halving);
    config.start_epoch = 5;
    config.every_epochs = 1;
    config.factor = 0.5;
    const Schedule schedule(config, 1.0);
    EXPECT_DOUBLE_EQ(schedule.rate(1, 4), 1.0);  // the fifth epoch
    EXPECT_DOUBLE_EQ(schedule.rate(1, 5), 0.5);
    EXPECT_DOUBLE_EQ(schedule.rate(1, 7), 0.125);
    config.every_epochs = 2;
    EXPECT_DOUBLE_EQ(Schedule(config, 1.0).rate(1, 6), 0.5);
    EXPECT_DOUBLE_EQ(Schedule(config, 1.0).rate(1, 7), 0.25);
}

TEST(Schedule, plateau_reduces_after_patience_and_stops_at_the_minimum) {
    ScheduleConfig config = config_of(ScheduleType::plateau);
    config.patience = 2;
    config.factor = 0.1;
    config.min_learning_rate = 0.05;
    Schedule schedule(config, 1.0);
    EXPECT_FALSE(schedule.validated(false));
    EXPECT_FALSE(schedule.validated(true));  // a gain forgets what came before
    EXPECT_FALSE(schedule.validated(false));
    EXPECT_TRUE(schedule.validated(false));
    EXPECT_DOUBLE_EQ(schedule.rate(1, 0), 0.1);
    Schedule restored(config, 1.0);
    restored.restore(schedule.state());
    EXPECT_DOUBLE_EQ(restored.rate(1, 0), 0.1);
    restored.validated(false);
    EXPECT_TRUE(restored.validated(false));
    EXPECT_DOUBLE_EQ(restored.rate(1, 0), 0.05);
    restored.validated(false);
    EXPECT_FALSE(restored.validated(false)) << "it is at the minimum already";
    EXPECT_DOUBLE_EQ(restored.rate(1, 0), 0.05);
}

TEST(Schedule, the_minimum_holds_for_a_run_that_went_back_too) {
    ScheduleConfig config = config_of(ScheduleType::plateau);
    config.patience = 1;
    config.factor = 0.5;
    config.min_learning_rate = 0.05;
    config.warmup = 10;
    Schedule schedule(config, 1.0);
    ScheduleState state;
    state.rate_factor = 0.25;
    schedule.restore(state);
    EXPECT_DOUBLE_EQ(schedule.rate(2, 0), 0.05) << "warm-up: a fifth of the way";
    EXPECT_DOUBLE_EQ(schedule.rate(1, 0), 0.025);
    EXPECT_DOUBLE_EQ(schedule.rate(10, 0), 0.25);
    EXPECT_TRUE(schedule.validated(false));
    EXPECT_DOUBLE_EQ(schedule.rate(10, 0), 0.125);
    EXPECT_EQ(schedule.state().rate_factor, 0.25);
    state.rate_factor = 0.01;
    schedule.restore(state);
    EXPECT_DOUBLE_EQ(schedule.rate(10, 0), 0.05);
    EXPECT_FALSE(schedule.validated(false));
}

}  // namespace
}  // namespace softalign
