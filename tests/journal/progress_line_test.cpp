#include "journal/progress.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <string>

namespace softalign {
namespace {

ProgressState example() {
    ProgressState state;
    state.epoch = 3;
    state.max_epochs = 20;
    state.update = 1234;
    state.position = 170;
    state.batches_in_epoch = 500;
    state.loss = 3.2144;
    state.tokens_per_second = 12345.0;
    state.busy = 0.97;
    state.learning_rate = 0.0005;
    state.eta_seconds = 751.0;
    return state;
}

TEST(ProgressLine, PlainLineHasAllFigures) {
    EXPECT_EQ(progress_plain_line(example()),
              "epoch 3/20   34%  update 1234  loss 3.214  12.3k tok/s  97% busy  lr 5.00e-04  ETA 12:31");
}

TEST(ProgressLine, LimitsAndAnUnknownEndAreLeftOut) {
    ProgressState state = example();
    state.max_epochs = 0;
    state.max_updates = 5000;
    state.eta_seconds = -1.0;
    EXPECT_EQ(progress_plain_line(state),
              "epoch 3   34%  update 1234/5000  loss 3.214  12.3k tok/s  97% busy  lr 5.00e-04");
}

TEST(ProgressLine, BarFillsWithTheEpoch) {
    EXPECT_EQ(progress_bar_line(example(), 110),
              "epoch 3/20  [======>           ]   34%  update 1234  loss 3.214  12.3k tok/s  97% busy  lr 5.00e-04  "
              "ETA 12:31");
    ProgressState state = example();
    state.position = 500;
    EXPECT_NE(progress_bar_line(state, 110).find("[==================]  100%"), std::string::npos);
    state.position = 0;
    EXPECT_NE(progress_bar_line(state, 110).find("[>                 ]    0%"), std::string::npos);
    state.batches_in_epoch = 0;
    EXPECT_NE(progress_bar_line(state, 110).find("    0%"), std::string::npos);
}

TEST(ProgressLine, NeverWiderThanTheTerminal) {
    for (int width = 1; width <= 200; ++width) {
        EXPECT_LE(progress_bar_line(example(), width).size(), static_cast<std::size_t>(width)) << width;
    }
}

TEST(ProgressLine, TheLeastImportantFiguresGoFirst) {
    EXPECT_EQ(progress_bar_line(example(), 70), "epoch 3/20   34%  update 1234  loss 3.214  12.3k tok/s  ETA 12:31");
    EXPECT_EQ(progress_bar_line(example(), 40), "epoch 3/20   34%  loss 3.214  ETA 12:31");
    EXPECT_EQ(progress_bar_line(example(), 24), "epoch 3/20  loss 3.214");
    EXPECT_EQ(progress_bar_line(example(), 10), "epoch 3/20");
    EXPECT_EQ(progress_bar_line(example(), 5), "epoch");
}

TEST(ProgressLine, Durations) {
    EXPECT_EQ(format_duration(0.0), "0:00");
    EXPECT_EQ(format_duration(59.6), "1:00");
    EXPECT_EQ(format_duration(245.0), "4:05");
    EXPECT_EQ(format_duration(3723.0), "1:02:03");
    EXPECT_EQ(format_duration(360000.0), "100:00:00");
    EXPECT_EQ(format_duration(-1.0), "?");
    EXPECT_EQ(format_duration(std::numeric_limits<double>::infinity()), "?");
    EXPECT_EQ(format_duration(std::numeric_limits<double>::quiet_NaN()), "?");
}

TEST(ProgressLine, Rates) {
    EXPECT_EQ(format_rate(0.0), "0");
    EXPECT_EQ(format_rate(999.4), "999");
    EXPECT_EQ(format_rate(999.6), "1.0k");
    EXPECT_EQ(format_rate(12345.0), "12.3k");
    EXPECT_EQ(format_rate(1234567.0), "1.2M");
}

}  // namespace
}  // namespace softalign
