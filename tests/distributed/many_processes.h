#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "cli/command_test.h"
#include "cli/program_outcome.h"
#include "distributed/transport.h"
#include "storage/safetensors.h"
#include "train/metrics_records.h"

namespace softalign {

// A small training, in one process or in several that work together.
class ManyProcesses : public CommandTest {
protected:
    void SetUp() override {
        if (!has_transport()) {
            GTEST_SKIP() << "built without c10d";
        }
        const RandomPairs pairs = random_pairs(120);
        config_ = small_model_config();
        config_.data.train_source = {folder_.write("train.a", pairs.source)};
        config_.data.train_target = {folder_.write("train.b", pairs.target)};
        config_.data.valid_source = folder_.write("valid.a", "alpha bravo\ndelta echo golf\n\nhotel\nbravo alpha\n");
        config_.data.valid_target = folder_.write("valid.b", "bravo alpha\ngolf\n\nhotel\nalpha\n");
        config_.vocabulary.type = VocabularyType::unigram;
        config_.vocabulary.size = 24;
        config_.vocabulary.sampling_alpha = 0.5;
        config_.model.dropout.output = 0.2;
        config_.training.shards = 8;
        config_.training.ema = 0.9;
        config_.training.batch_size = 10;
        config_.training.accumulate = 2;
        config_.training.max_updates = 30;
        config_.validation.every = 2;
        config_.validation.patience = 0;
        config_.checkpoints.every_updates = 7;
        config_.checkpoints.keep_best = 2;
        config_.report.html = false;
        config_.runtime.log_every = 5;
        config_.runtime.distributed.timeout = 60.0;
    }

    // The command line for a run into folder/NAME; more options follow.
    Arguments train(int processes, const std::string& run, const Arguments& options = {}) const {
        folder_.write("config.yaml", to_yaml(config_));
        Arguments line;
        if (processes > 1) {
            line = {"launch", "--processes", std::to_string(processes), "--"};
        }
        line.insert(line.end(), {"train", folder_.path("config.yaml"), "--resume", "--set",
                                 "checkpoints.directory=" + folder_.path(run)});
        line.insert(line.end(), options.begin(), options.end());
        return line;
    }

    // The tensors of the newest checkpoint: weights, average, the optimiser's state.
    std::map<std::string, std::string> newest_checkpoint(const std::string& run) const {
        std::filesystem::path newest;
        std::int64_t latest = -1;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path(run + "/checkpoints"))) {
            const std::string name = entry.path().stem().string();
            if (name.rfind("last-", 0) == 0 && std::stoll(name.substr(5)) > latest) {
                latest = std::stoll(name.substr(5));
                newest = entry.path();
            }
        }
        std::map<std::string, std::string> result{{"update", std::to_string(latest)}};
        for (const auto& [name, tensor] : read_safetensors(newest.string()).tensors) {
            result[name] = std::string(static_cast<const char*>(tensor.data_ptr()), tensor.nbytes());
        }
        return result;
    }

    void expect_same_run(const std::string& run, const std::string& whole) const {
        for (const char* file : {"/model.safetensors", "/validation.best.txt", "/joint.spm"}) {
            EXPECT_EQ(read_bytes(folder_.path(run + file)), read_bytes(folder_.path(whole + file))) << run << file;
        }
        EXPECT_EQ(metrics_without_clocks(folder_.path(run + "/metrics.jsonl")),
                  metrics_without_clocks(folder_.path(whole + "/metrics.jsonl")))
            << run;
        EXPECT_TRUE(newest_checkpoint(run) == newest_checkpoint(whole)) << run;
    }

    TemporaryFolder& folder() { return folder_; }

    Config config_;
};

// The processes that `launcher` has started, by rank; those that have ended are missing.
inline std::map<int, pid_t> ranks_of(pid_t launcher) {
    std::map<int, pid_t> result;
    std::ifstream children("/proc/" + std::to_string(launcher) + "/task/" + std::to_string(launcher) + "/children");
    for (pid_t child = 0; children >> child;) {
        std::ifstream file("/proc/" + std::to_string(child) + "/environ");
        const std::string environment{std::istreambuf_iterator<char>(file), {}};
        const std::string name("\0RANK=", 6);
        const std::size_t place = environment.find(name);
        if (place != std::string::npos) {
            result[std::stoi(environment.substr(place + name.size()))] = child;
        }
    }
    return result;
}

}  // namespace softalign
