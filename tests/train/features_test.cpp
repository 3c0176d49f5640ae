// Training on features: sequences in which each position stands for a word of the target.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/has.h"
#include "base/random.h"
#include "config/load.h"
#include "data/npy_files.h"
#include "storage/model_directory.h"
#include "train/trainer.h"
#include "train/training_test.h"

namespace softalign {
namespace {

class FeatureTraining : public Training {
protected:
    void SetUp() override {
        Training::SetUp();
        write_sequences("train", 200, 1);
        write_sequences("valid", 20, 2);
    }

    // Of four positions with four numbers, one of them 1; the target has a word for each position.
    void write_sequences(const std::string& name, std::int64_t count, std::uint64_t seed) const {
        constexpr std::size_t kinds = 4;
        Random random(seed);
        std::vector<std::uint8_t> values;
        std::ofstream target(at(name + ".words"));
        for (std::int64_t i = 0; i < 4 * count; ++i) {
            const std::uint64_t kind = random.below(kinds);
            values.resize(values.size() + kinds);
            values[values.size() - kinds + kind] = 255;
            target << "word" << kind << (i % 4 == 3 ? "\n" : " ");
        }
        write_npy(at(name + ".npy"), {count, 4, kinds}, values);
    }

    Config feature_run(const std::string& run) const {
        Config config = this->config(run);
        config.data.source_type = SourceType::features;
        config.data.train_source = {at("train.npy")};
        config.data.train_target = {at("train.words")};
        config.data.valid_source = at("valid.npy");
        config.data.valid_target = at("valid.words");
        config.vocabulary.size = 12;
        config.model.dropout.source_embedding = 0.1;
        config.training.max_epochs = 12;
        config.validation.every = 6;
        config.validation.tokenize = "none";
        return config;
    }
};

TEST_F(FeatureTraining, LearnsToReadSequences) {
    const TrainingResult result = train(feature_run("run"), false);
    ASSERT_FALSE(result.state.best.empty());
    EXPECT_GT(result.state.best.front().score, 95.0);  // BLEU
    const Config written = load_model_config(at("run"));
    EXPECT_EQ(written.model.source.size, 4);
    EXPECT_FALSE(std::filesystem::exists(at("run") / "joint.spm"));
    EXPECT_FALSE(std::filesystem::exists(at("run") / "source.spm"));
    EXPECT_TRUE(load_model(at("run"), at::kCPU).model->has_features());
}

TEST_F(FeatureTraining, GivesTheSameBytesForAnyWorkersAndAfterAResume) {
    Config whole = feature_run("whole");
    whole.training.max_epochs = 3;
    whole.runtime.workers = 1;
    whole.runtime.prefetch = 1;
    train(whole, false);
    Config parts = feature_run("parts");
    parts.runtime.workers = 3;
    parts.training.max_updates = 13;
    train(parts, false);
    parts.training.max_updates = 0;
    parts.training.max_epochs = 3;
    train(parts, true);
    EXPECT_EQ(bytes("parts/model.safetensors"), bytes("whole/model.safetensors"));
}

TEST_F(FeatureTraining, AResumedRunMustHaveTheSameNumbers) {
    Config run = feature_run("run");
    run.training.max_updates = 2;
    train(run, false);
    run.training.max_updates = 4;
    write_sequences("train", 200, 3);
    const std::string refused = fault(ExitCode::configuration, [&] { train(run, true); });
    EXPECT_TRUE(has(refused, "data.train_source")) << refused;
    EXPECT_TRUE(has(refused, "CRC-32C")) << refused;
    write_sequences("train", 200, 1);
    EXPECT_NO_THROW(train(run, true));
}

TEST_F(FeatureTraining, ADryRunTellsTheSizeOfTheSource) {
    const std::string text = dry_run(feature_run("run"));
    EXPECT_TRUE(has(text, "4 values at each position")) << text;
    EXPECT_TRUE(has(text, "source.weight")) << text;
    Config other = feature_run("run");
    other.model.source.size = 5;
    const std::string refused = fault(ExitCode::data, [&] { dry_run(other); });
    EXPECT_TRUE(has(refused, "train.npy[0]: each position has 4 numbers")) << refused;
}

TEST_F(FeatureTraining, TakesAGivenVocabulary) {
    train(feature_run("first"), false);
    Config run = feature_run("run");
    run.training.max_updates = 2;
    run.vocabulary.target_model = at("first") / "target.spm";
    train(run, false);
    EXPECT_EQ(bytes("run/target.spm"), bytes("first/target.spm"));
}

}  // namespace
}  // namespace softalign
