// How a run ends: its limits, signals, divergence.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "train/stop.h"
#include "train/trainer.h"
#include "train/training_test.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

TEST_F(Training, stops_early_when_the_metric_no_longer_gains) {
    for (const Metric metric :
         {Metric::bleu, Metric::chrf_plus_plus, Metric::ter, Metric::cer, Metric::cross_entropy}) {
        Config run = config("early" + std::to_string(static_cast<int>(metric)));
        run.training.max_epochs = 50;
        run.training.optimizer.learning_rate = 1e-12;  // nothing is learnt, so nothing gains
        run.training.ema = 0.0;
        run.validation.metric = metric;
        run.validation.patience = 2;
        const TrainingResult result = train(run, false);
        EXPECT_LE(result.state.epoch, 12);
        EXPECT_EQ(result.reason, StopReason::patience);
        EXPECT_EQ(result.state.validations_without_gain, 2);
    }
}

TEST_F(Training, validates_every_so_many_updates_and_at_the_end) {
    Config run = config("run");
    run.validation.unit = IntervalUnit::updates;
    run.validation.every = 7;
    run.training.max_updates = 17;
    run.training.max_epochs = 0;
    train(run, false);
    std::vector<std::int64_t> updates;
    for (const nlohmann::json& record : metrics("run")) {
        if (record["type"] == "validation") {
            updates.push_back(record["update"]);
            EXPECT_EQ(record["bleu_signature"].get<std::string>().rfind("nrefs:1|case:mixed", 0), 0U);
            EXPECT_EQ(record["chrf++_signature"], "nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0");
            EXPECT_GE(record["ter"].get<double>(), 0.0);
        }
    }
    EXPECT_EQ(updates, (std::vector<std::int64_t>{7, 14, 17}));
}

// Not before so many updates after the last validation, which may be that of an earlier run.
TEST_F(Training, validates_at_ends_of_epochs_that_are_far_enough_apart) {
    Config run = config("run");
    run.validation.min_updates = 31;  // an epoch has 15
    run.validation.patience = 0;
    run.training.max_epochs = 6;
    train(run, false);
    const auto updates = [this](const std::string& name) {
        std::vector<std::int64_t> all;
        for (const nlohmann::json& record : metrics(name)) {
            if (record["type"] == "validation") {
                all.push_back(record["update"]);
            }
        }
        return all;
    };
    EXPECT_EQ(updates("run"), (std::vector<std::int64_t>{45, 90}));
    run.training.max_epochs = 7;
    train(run, true);
    EXPECT_EQ(updates("run"), (std::vector<std::int64_t>{45, 90, 105}));  // the last one is at the end
}

TEST_F(Training, max_minutes_ends_a_run) {
    Config run = config("run");
    run.training.max_epochs = 0;
    run.training.max_minutes = 1e-9;
    EXPECT_EQ(train(run, false).reason, StopReason::max_minutes);
    EXPECT_TRUE(fs::exists(at("run") / "model.safetensors"));
}

TEST_F(Training, a_signal_saves_and_resume_goes_on) {
    const StopSignal outer;
    Config run = config("run");
    run.training.max_epochs = 0;
    run.training.max_updates = 1000000;
    run.data.valid_source.clear();
    run.data.valid_target.clear();
    run.validation.metric = Metric::cross_entropy;
    std::thread killer([this] {
        // The log of metrics shows that updates are being done.
        while (!fs::exists(at("run") / "metrics.jsonl") || fs::file_size(at("run") / "metrics.jsonl") == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        std::raise(SIGTERM);
    });
    run.runtime.log_every = 1;
    const TrainingResult result = train(run, false);
    killer.join();
    EXPECT_EQ(result.reason, StopReason::signal);
    EXPECT_GT(result.state.update, 0);
    EXPECT_TRUE(fs::exists(at("run") / "model.safetensors"));
    run.training.max_updates = result.state.update + 2;
    EXPECT_EQ(train(run, true).state.update, result.state.update + 2);
}

TEST_F(Training, a_diverging_run_is_given_up_with_advice) {
    Config run = config("run");
    run.training.optimizer.type = OptimizerType::sgd;
    run.training.optimizer.learning_rate = 1e38;  // weights overflow within a few updates
    run.training.clip_norm = 0.0;
    run.training.max_epochs = 100;
    run.validation.every = 1000;
    try {
        train(run, false);
        FAIL() << "the run was not given up";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::numerical);
        EXPECT_NE(std::string(error.what()).find("learning_rate"), std::string::npos) << error.what();
    }
}

TEST_F(Training, goes_back_with_a_lower_rate_where_that_is_asked_for) {
    Config run = config("run");
    run.training.optimizer.type = OptimizerType::sgd;
    run.training.optimizer.learning_rate = 1e38;
    run.training.clip_norm = 0.0;
    run.training.divergence.updates = 3;
    run.training.divergence.action = DivergenceAction::go_back;
    run.training.divergence.rate_factor = 1e-39;
    run.training.max_epochs = 1;
    run.data.valid_source.clear();
    run.data.valid_target.clear();
    run.validation.metric = Metric::cross_entropy;
    // A good start, and then a rate that is far too high.
    Config start = run;
    start.training.optimizer.learning_rate = 0.1;
    start.training.max_updates = 4;
    train(start, false);
    const TrainingResult result = train(run, true);
    EXPECT_EQ(result.reason, StopReason::max_epochs);
    EXPECT_EQ(result.state.times_back, 1);
    EXPECT_EQ(result.state.schedule.rate_factor, 1e-39);
    EXPECT_GE(result.state.bad_in_all, 3);
    EXPECT_EQ(result.state.bad_in_a_row, 0);

    // What was reached is whole, and the next run knows of it.
    run.training.max_epochs = 2;
    const TrainingResult more = train(run, true);
    EXPECT_EQ(more.state.times_back, 1);
    EXPECT_EQ(more.state.schedule.rate_factor, 1e-39);

    // So often and no more.
    Config again = run;
    again.checkpoints.directory = at("again");
    again.training.divergence.rate_factor = 0.9;
    again.training.divergence.times = 2;
    start.checkpoints.directory = at("again");
    train(start, false);
    EXPECT_NE(fault(ExitCode::numerical, [&] { train(again, true); }).find("3 updates in a row"), std::string::npos);
}

TEST(StopSignal, LeavesTheHandlersAsTheyWere) {
    const auto before = std::signal(SIGTERM, SIG_IGN);
    { const StopSignal signal; }
    EXPECT_EQ(std::signal(SIGTERM, before), SIG_IGN);
}

TEST(StopSignal, ASignalThatIsIgnoredStaysIgnored) {
    const auto before = std::signal(SIGINT, SIG_IGN);
    {
        const StopSignal signal;
        std::raise(SIGINT);
        EXPECT_EQ(signal.received(), 0);
        const StopSignal inner;
        std::raise(SIGTERM);
        EXPECT_EQ(inner.received(), SIGTERM);
        std::raise(SIGINT);  // would end the process
        EXPECT_EQ(inner.received(), SIGTERM);
    }
    EXPECT_EQ(std::signal(SIGINT, before), SIG_IGN);
}

}  // namespace
}  // namespace softalign
