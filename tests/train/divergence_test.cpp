// Runs that diverge, and what is left of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/has.h"
#include "config/config.h"
#include "storage/safetensors.h"
#include "text/sentencepiece_tokenizer.h"
#include "train/run_state.h"
#include "train/trainer.h"
#include "train/training_test.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

// Powers of two: the ruinous rate times the factor is the good rate exactly, so that a run that has gone back does what
// one that never diverged does. It leaves finite weights, of which some are so large that the loss of a batch is not.
const double good_rate = 0.125;
const double ruinous_rate = std::ldexp(1.0, 127);
const double back_to_good = std::ldexp(1.0, -130);

class Divergence : public Training {
protected:
    Config good(const std::string& run) const {
        Config config = this->config(run);
        config.training.optimizer.type = OptimizerType::sgd;
        config.training.optimizer.learning_rate = good_rate;
        config.training.clip_norm = 0.0;
        config.training.shards = 1;  // the loss of a whole batch is one sum in float
        config.training.max_epochs = 0;
        config.training.max_updates = 20;
        config.validation.unit = IntervalUnit::updates;
        config.validation.every = 4;
        config.validation.translate = false;
        config.validation.metric = Metric::cross_entropy;
        config.validation.patience = 1;
        config.checkpoints.keep_best = 2;
        config.runtime.log_every = 1;
        return config;
    }

    // The run goes on with a rate that ruins its weights in the first update.
    static Config ruinous(Config config, DivergenceAction action) {
        config.training.optimizer.learning_rate = ruinous_rate;
        config.training.divergence.updates = 3;
        config.training.divergence.action = action;
        config.training.divergence.rate_factor = back_to_good;
        return config;
    }

    std::map<std::string, std::string> best_models(const std::string& run) const {
        std::map<std::string, std::string> models{{"model", bytes(run + "/model.safetensors")}};
        for (const fs::directory_entry& entry : fs::directory_iterator(at(run) / "checkpoints")) {
            const std::string name = entry.path().filename().string();
            if (name.rfind("best-", 0) == 0) {
                models[name] = read_bytes(entry.path());
            }
        }
        return models;
    }

    std::string checkpoint(const std::string& run, std::int64_t update) const {
        return (at(run) / "checkpoints" / ("last-" + std::to_string(update) + ".safetensors")).string();
    }

    void change_state(const std::string& run, std::int64_t update, const std::function<void(RunState&)>& change) const {
        TensorFile file = read_safetensors(checkpoint(run, update));
        RunState state = RunState::from_json(file.metadata.at("run_state"));
        change(state);
        file.metadata["run_state"] = state.to_json();
        write_safetensors(checkpoint(run, update), file);
    }

    void expect_same(const std::string& run, const std::string& whole) const {
        EXPECT_TRUE(best_models(run) == best_models(whole));
        EXPECT_EQ(metrics(run), metrics(whole));
    }
};

TEST_F(Divergence, ARunThatWentBackGoesOnAsIfItHadNotDiverged) {
    struct Case {
        const char* name;
        std::int64_t save_every;
        std::int64_t validate_every;
        std::int64_t start;  // updates before the rate is changed
        std::int64_t bad;    // training.divergence.updates
        std::int64_t keep_last;
    };
    for (const Case& one :
         {Case{"no save since", 0, 4, 8, 3, 2}, Case{"saved in the streak", 1, 4, 8, 3, 2},
          Case{"saved where the streak begins", 3, 4, 8, 3, 1}, Case{"validated in the streak", 0, 5, 10, 6, 2},
          Case{"in the next epoch", 2, 7, 14, 4, 2}}) {
        SCOPED_TRACE(one.name);
        const std::string name = one.name;
        Config whole = good("whole " + name);
        whole.checkpoints.every_updates = one.save_every;
        whole.checkpoints.keep_last = one.keep_last;
        whole.validation.every = one.validate_every;
        train(whole, false);

        Config run = whole;
        run.checkpoints.directory = at(name);
        run.training.max_updates = one.start;
        train(run, false);
        run.training.max_updates = whole.training.max_updates;
        run = ruinous(run, DivergenceAction::go_back);
        run.training.divergence.updates = one.bad;
        const TrainingResult result = train(run, true);
        EXPECT_EQ(result.reason, StopReason::max_updates);
        EXPECT_EQ(result.state.times_back, 1);
        expect_same(name, "whole " + name);
    }
}

// Which a run that no signal stopped does not have.
TEST_F(Divergence, NoRunGoesBackToACheckpointOfASignal) {
    const auto ends_at = [this](const std::string& name, std::int64_t update, bool on_signal) {
        Config run = good(name);
        run.data.valid_source.clear();
        run.data.valid_target.clear();
        run.checkpoints.every_updates = 4;
        run.training.max_updates = update;
        train(run, false);
        change_state(name, update, [on_signal](RunState& state) { state.on_signal = on_signal; });
        run = ruinous(run, DivergenceAction::go_back);
        run.training.divergence.rate_factor = back_to_good / 2;
        run.training.max_updates = 20;
        EXPECT_EQ(train(run, true).state.times_back, 1);
    };
    ends_at("whole", 8, false);
    ends_at("stopped", 10, true);
    ends_at("other", 10, false);
    expect_same("stopped", "whole");
    EXPECT_NE(bytes("other/model.safetensors"), bytes("whole/model.safetensors"));
}

TEST_F(Divergence, ARunThatMayNotGoBackAgainKeepsTheCheckpointOfASignal) {
    Config run = good("run");
    run.training.max_updates = 10;
    train(run, false);
    run = ruinous(run, DivergenceAction::go_back);
    change_state("run", 10, [&run](RunState& state) {
        state.on_signal = true;
        state.times_back = run.training.divergence.times;
    });
    run.training.max_updates = 20;
    fault(ExitCode::numerical, [&] { train(run, true); });
    EXPECT_TRUE(fs::exists(checkpoint("run", 10)));
}

TEST_F(Divergence, ARunThatWasStoppedGoesOnWithALowerRate) {
    Config run = good("run");
    run.checkpoints.every_updates = 1;
    Config whole = run;
    whole.checkpoints.directory = at("whole");
    train(whole, false);

    run.training.max_updates = 8;
    train(run, false);
    run.training.max_updates = 20;
    fault(ExitCode::numerical, [&] { train(ruinous(run, DivergenceAction::stop), true); });
    EXPECT_EQ(train(run, true).state.update, 20);
    expect_same("run", "whole");
}

// A run some of whose updates are not finite: those with the one training pair that has the word "zulu", whose
// embedding was made so large that squares of its gradients overflow.
class BadUpdates : public Divergence {
protected:
    void SetUp() override {
        Divergence::SetUp();
        for (const char* side : {"train.src", "train.tgt"}) {
            std::ofstream(at(side), std::ios::app) << "zulu alpha zulu\n";
        }
    }

    // Four good updates, and then the embedding is changed.
    Config started(const std::string& run) const {
        Config config = good(run);
        config.model.decoder.readout = ReadoutType::maxout;
        config.validation.patience = 0;
        config.training.max_updates = 4;
        train(config, false);
        const std::int32_t zulu = load_tokenizer(at(run) / "joint.spm")->encode("zulu").front();
        const std::string path = at(run) / "checkpoints" / "last-4.safetensors";
        TensorFile file = read_safetensors(path);
        for (auto& [name, tensor] : file.tensors) {
            if (name == "model.target_embedding") {
                tensor.select(0, zulu).fill_(1e30);
            }
        }
        write_safetensors(path, file);
        config.training.max_updates = 30;
        config.checkpoints.every_updates = 1;
        return config;
    }

    std::vector<std::int64_t> updates_of(const std::string& run, const std::string& type, bool bad) const {
        std::vector<std::int64_t> updates;
        for (const nlohmann::json& record : metrics(run)) {
            if (record["type"] == type && (!bad || record["gradient_norm"].is_null())) {
                updates.push_back(record["update"]);
            }
        }
        return updates;
    }
};

TEST_F(BadUpdates, WhatIsDueInOneIsDoneAfterTheNextThatIsFinite) {
    Config run = started("run");
    const TrainingResult result = train(run, true);
    const std::vector<std::int64_t> bad = updates_of("run", "train", true);
    ASSERT_FALSE(bad.empty());
    EXPECT_EQ(result.state.bad_in_all, static_cast<std::int64_t>(bad.size()));
    EXPECT_EQ(result.state.applied, 30 - result.state.bad_in_all) << "Adam counts updates that were applied";

    // A validation is due in the first bad update.
    Config due = started("due");
    due.validation.every = bad.front();
    train(due, true);
    std::vector<std::int64_t> expected{4};
    for (std::int64_t update = bad.front(); update <= 30; update += bad.front()) {
        expected.push_back(update + std::count(bad.begin(), bad.end(), update));
    }
    if (expected.back() != 30) {
        expected.push_back(30);
    }
    EXPECT_EQ(updates_of("due", "validation", false), expected);

    // The last update of a run is bad: its weights are validated and saved, and the run can go on.
    Config last = started("last");
    last.training.max_updates = bad.front();
    last.validation.every = 1000;
    const TrainingResult ended = train(last, true);
    EXPECT_EQ(ended.state.update, bad.front());
    EXPECT_EQ(ended.state.bad_in_a_row, 1);
    EXPECT_EQ(ended.state.last_validation, bad.front());
    last.training.max_updates = 30;
    const TrainingResult resumed = train(last, true);
    EXPECT_EQ(resumed.state.bad_in_all, result.state.bad_in_all);
    EXPECT_EQ(resumed.state.applied, result.state.applied);
}

// The last validation of a run is made after its last periodic save. A run that ends between the two makes it again.
TEST_F(Divergence, ALastValidationThatCouldNotBeSavedIsRecordedOnce) {
    Config whole = good("whole");
    whole.training.max_updates = 10;
    whole.checkpoints.every_updates = 5;
    train(whole, false);

    Config run = whole;
    run.checkpoints.directory = at("run");
    const fs::path in_the_way = at("run") / "checkpoints" / "best-10.safetensors";
    fs::create_directories(in_the_way / "something");
    const std::string message = fault(ExitCode::output, [&] { train(run, false); });
    EXPECT_TRUE(has(message, "--resume")) << message;
    fs::remove_all(in_the_way);
    train(run, true);
    expect_same("run", "whole");
}

}  // namespace
}  // namespace softalign
