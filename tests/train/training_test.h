#pragma once

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/strings.h"
#include "config/config.h"
#include "storage/safetensors.h"
#include "storage/temporary_directory.h"
#include "text/fixtures.h"
#include "train/metrics_records.h"
#include "train/trainer.h"

namespace softalign {

// A corpus whose target is the source backwards: it cannot be learnt without attention to the right place.
inline void write_corpus(const std::filesystem::path& folder, const std::string& name, int lines, std::uint64_t key) {
    const std::vector<std::string> words{"alpha", "bravo", "delta", "echo", "golf", "hotel", "india", "kilo"};
    Random random(key);
    std::ofstream source(folder / (name + ".src"));
    std::ofstream target(folder / (name + ".tgt"));
    for (int i = 0; i < lines; ++i) {
        std::vector<std::string> picked;
        for (std::uint64_t n = random.below(4) + 1; n > 0; --n) {
            picked.push_back(words[random.below(words.size())]);
        }
        source << join(picked, " ") << "\n";
        std::reverse(picked.begin(), picked.end());
        target << join(picked, " ") << "\n";
    }
}

// A small run over such a corpus.
class Training : public InTemporaryDirectory {
protected:
    void SetUp() override {
        InTemporaryDirectory::SetUp();
        spdlog::set_level(spdlog::level::off);
        write_corpus(directory_, "train", 300, 1);
        write_corpus(directory_, "valid", 30, 2);
    }

    std::filesystem::path at(const std::string& name) const { return path(name); }

    Config config(const std::string& run) const {
        Config config;
        config.data.train_source = {at("train.src")};
        config.data.train_target = {at("train.tgt")};
        config.data.valid_source = at("valid.src");
        config.data.valid_target = at("valid.tgt");
        config.vocabulary.type = VocabularyType::word;
        config.vocabulary.size = 20;
        config.model.embedding_size = 16;
        config.model.encoder.hidden_size = 16;
        config.model.decoder.hidden_size = 16;
        config.model.attention.size = 16;
        config.model.dropout.output = 0.1;
        config.training.batch_size = 20;
        config.training.optimizer.learning_rate = 0.01;
        config.training.max_epochs = 2;
        config.training.ema = 0.9;
        config.checkpoints.directory = at(run);
        config.runtime.workers = 2;
        config.runtime.log_level = LogLevel::error;
        return config;
    }

    std::vector<nlohmann::json> metrics(const std::string& run) const {
        return metrics_without_clocks(at(run) / "metrics.jsonl");
    }
    std::string bytes(const std::string& file) const { return read_bytes(at(file)); }

    // The bytes of the tensors of a file, by name: checkpoints hold paths and clocks besides.
    std::map<std::string, std::string> tensors(const std::string& file) const {
        std::map<std::string, std::string> result;
        for (const auto& [name, tensor] : read_safetensors(at(file)).tensors) {
            result[name] = std::string(static_cast<const char*>(tensor.data_ptr()), tensor.nbytes());
        }
        return result;
    }

    // Trains `run` to its end, and once more on one worker with the corpus on disk or from its cache, stopped after
    // each of these updates and resumed: both end with the same bytes.
    void expect_same_bytes_in_parts(Config run, const std::vector<std::int64_t>& limits) const {
        run.training.max_epochs = 0;
        run.training.max_updates = limits.back();
        train(run, false);
        const std::string name = std::filesystem::path(run.checkpoints.directory).filename().string();
        Config parts = run;
        parts.checkpoints.directory = at(name + "-parts");
        parts.runtime.workers = 1;
        parts.data.on_disk = true;
        parts.data.cache = at("cache");
        for (const std::int64_t limit : limits) {
            parts.training.max_updates = limit;
            train(parts, limit != limits.front());
        }
        const std::string last = "checkpoints/last-" + std::to_string(limits.back()) + ".safetensors";
        EXPECT_TRUE(tensors(name + "/" + last) == tensors(name + "-parts/" + last));
    }
};

}  // namespace softalign
