#include "train/resolve.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/has.h"
#include "platform/processor.h"
#include "storage/model_directory.h"
#include "storage/safetensors.h"
#include "train/trainer.h"
#include "train/training_test.h"

namespace softalign {
namespace {

TrainingConfig batches_of(std::int64_t size, BatchUnit unit = BatchUnit::sentences) {
    TrainingConfig training;
    training.batch_size = size;
    training.batch_unit = unit;
    return training;
}

TEST(Resolve, ShardsAreAPowerOfTwoThatKeepsTheCoresBusy) {
    const std::vector<std::pair<int, std::int64_t>> expected{{1, 2},   {2, 2},    {3, 8},    {4, 4},   {5, 4},
                                                             {6, 16},  {8, 8},    {12, 32},  {16, 16}, {24, 64},
                                                             {64, 64}, {96, 256}, {128, 128}};
    for (const auto& [cores, shards] : expected) {
        EXPECT_EQ(choose_shards(batches_of(100000), cores), shards) << cores << " cores";
    }
}

TEST(Resolve, ShardsAreNotTooSmall) {
    EXPECT_EQ(choose_shards(batches_of(1), 64), 1);
    EXPECT_EQ(choose_shards(batches_of(2), 64), 2);
    EXPECT_EQ(choose_shards(batches_of(31), 64), 2);
    EXPECT_EQ(choose_shards(batches_of(32), 64), 4);
    EXPECT_EQ(choose_shards(batches_of(128), 64), 16);
    EXPECT_EQ(choose_shards(batches_of(4096, BatchUnit::tokens), 64), 32);
    EXPECT_EQ(choose_shards(batches_of(1 << 20), 4096), 1024);
}

TEST(Resolve, WorkersThatHaveNothingToDoAreExplained) {
    TrainingConfig training = batches_of(512);
    training.shards = 2;
    EXPECT_EQ(advice_on_idle_workers(training, 1), "");
    EXPECT_EQ(advice_on_idle_workers(training, 2), "");
    EXPECT_EQ(advice_on_idle_workers(training, 16),
              "2 shards keep 16 workers busy for 12 % of the time at most: training.shards: 16 would use more of them, "
              "in a new run");
    training.shards = 16;
    EXPECT_EQ(advice_on_idle_workers(training, 16), "");
    training.shards = 5;
    EXPECT_NE(advice_on_idle_workers(training, 4), "") << "the fifth is computed while three workers wait";
    training = batches_of(128);
    training.shards = choose_shards(training, 64);
    EXPECT_EQ(advice_on_idle_workers(training, 64),
              "16 shards keep 64 workers busy for 25 % of the time at most: training.batch_size: 512 would be enough "
              "sentences for all of them, in a new run");
}

class ResolvedRun : public Training {
protected:
    std::int64_t shards_of(const std::string& run) const { return load_model_config(at(run).string()).training.shards; }
};

TEST_F(ResolvedRun, HasTheShardsThatWereChosenInItsConfiguration) {
    Config run = config("run");
    run.training.max_updates = 3;
    ASSERT_EQ(run.training.shards, 0);
    train(run, false);
    EXPECT_EQ(shards_of("run"), choose_shards(run.training, physical_cores()));

    run.training.shards = 4;
    run.checkpoints.directory = at("given");
    train(run, false);
    EXPECT_EQ(shards_of("given"), 4);
}

// As one that another machine started, or that was started when the default was 2.
TEST_F(ResolvedRun, KeepsItsShardsWhenItIsResumed) {
    for (const bool settings_known : {true, false}) {
        const std::int64_t shards = settings_known ? 8 : 2;
        const std::string name = settings_known ? "known" : "unknown";
        Config whole = config(name + "_whole");
        whole.training.shards = shards;
        whole.training.max_epochs = 1;
        train(whole, false);
        Config parts = whole;
        parts.checkpoints.directory = at(name);
        parts.training.max_updates = 7;
        train(parts, false);
        if (!settings_known) {
            const std::string path = (at(name) / "checkpoints" / "last-7.safetensors").string();
            TensorFile file = read_safetensors(path);
            ASSERT_EQ(file.metadata.erase("run_settings"), 1U);
            write_safetensors(path, file);
        }
        parts.training.max_updates = 0;
        parts.training.shards = 0;
        train(parts, true);
        EXPECT_EQ(shards_of(name), shards);
        EXPECT_EQ(bytes(name + "/model.safetensors"), bytes(name + "_whole/model.safetensors"));
    }
}

TEST_F(ResolvedRun, RefusesOtherShardsWhenItIsResumed) {
    Config run = config("run");
    run.training.shards = 2;
    run.training.max_updates = 3;
    train(run, false);
    run.training.shards = 4;
    try {
        train(run, true);
        FAIL() << "not refused";
    } catch (const Error& error) {
        EXPECT_TRUE(has(error.what(), "training.shards: 2 before, 4 now")) << error.what();
    }
}

TEST_F(ResolvedRun, StartsNoMoreWorkersThanShardsAndSaysSo) {
    Config run = config("run");
    run.training.shards = 2;
    run.training.max_updates = 2;
    run.runtime.workers = 5;
    run.runtime.log_level = LogLevel::info;
    run.runtime.log_every = 1;
    train(run, false);
    const std::string log = read_bytes(at("run") / "train.log");
    EXPECT_TRUE(has(log, "cpu, 2 workers, 2 shards, float32")) << log;
    EXPECT_TRUE(has(log, "2 shards keep 5 workers busy for 40 % of the time at most")) << log;
    EXPECT_TRUE(has(log, "% busy")) << log;
}

TEST_F(ResolvedRun, RecordsHowBusyItsWorkersWere) {
    Config run = config("run");
    run.runtime.log_every = 5;
    train(run, false);
    std::ifstream file(at("run") / "metrics.jsonl");
    int records = 0;
    for (std::string line; std::getline(file, line);) {
        const nlohmann::json record = nlohmann::json::parse(line);
        if (record.at("type") == "train") {
            ++records;
            EXPECT_GT(record.at("busy").get<double>(), 0.0) << line;
            EXPECT_LE(record.at("busy").get<double>(), 1.0) << line;
        }
    }
    EXPECT_GT(records, 0);
}

}  // namespace
}  // namespace softalign
