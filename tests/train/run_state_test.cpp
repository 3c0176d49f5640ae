#include "train/run_state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace softalign {
namespace {

TEST(RunState, EveryNumberComesBackFiniteOrNot) {
    const double infinity = std::numeric_limits<double>::infinity();
    RunState state;
    state.update = 12;
    state.applied = 9;
    state.bad_in_a_row = 2;
    state.validation_owed = true;
    state.on_signal = true;
    state.save_owed = true;
    state.best = {{infinity, 4}, {-infinity, 5}, {std::nan(""), 6}, {0.1, 7}};
    state.schedule.reduction = 1e-300;
    state.schedule.rate_factor = std::numeric_limits<double>::denorm_min();
    state.minutes = infinity;
    state.window.objective = std::nan("");
    state.window.alignment = -infinity;
    state.window.risk = 0.75;
    state.window.tokens = 7;
    state.window.sentences = 9;
    const RunState back = RunState::from_json(state.to_json());
    EXPECT_EQ(back.to_json(), state.to_json());
    EXPECT_EQ(back.last_applied(), 10);
    EXPECT_EQ(back.applied, 9);
    EXPECT_TRUE(back.validation_owed);
    EXPECT_TRUE(back.on_signal);
    EXPECT_TRUE(back.save_owed);
    ASSERT_EQ(back.best.size(), 4U);
    EXPECT_EQ(back.best[0].score, infinity);
    EXPECT_EQ(back.best[1].score, -infinity);
    EXPECT_TRUE(std::isnan(back.best[2].score));
    EXPECT_EQ(back.best[3].score, 0.1);
    EXPECT_EQ(back.schedule.rate_factor, std::numeric_limits<double>::denorm_min());
    EXPECT_EQ(back.minutes, infinity);
    EXPECT_TRUE(std::isnan(back.window.objective));
    EXPECT_EQ(back.window.alignment, -infinity);
    EXPECT_EQ(back.window.risk, 0.75);
    EXPECT_EQ(back.window.tokens, 7);
    EXPECT_EQ(back.window.sentences, 9);
}

TEST(RunState, OfAnEarlierVersionIsRead) {
    RunState state;
    state.update = 12;
    state.bad_in_all = 2;
    nlohmann::json json = nlohmann::json::parse(state.to_json());
    json.erase("applied");
    json.erase("validation_owed");
    json.erase("on_signal");
    json.erase("save_owed");
    json.erase("window_alignment");
    json.erase("window_risk");
    json.erase("window_sentences");
    const RunState back = RunState::from_json(json.dump());
    EXPECT_EQ(back.applied, 10);
    EXPECT_FALSE(back.validation_owed);
    EXPECT_EQ(back.window.alignment, 0.0);
    EXPECT_EQ(back.window.risk, 0.0);
    EXPECT_EQ(back.window.sentences, 0);
}

}  // namespace
}  // namespace softalign
