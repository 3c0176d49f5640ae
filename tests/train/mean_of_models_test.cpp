// checkpoints.average: the mean of several models at the end of a run.
#include "train/mean_of_models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/has.h"
#include "storage/average.h"
#include "train/trainer.h"
#include "train/training_test.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

class MeanOfModelsTest : public Training {
protected:
    Config averaged(const std::string& run, AverageOf of) const {
        Config result = config(run);
        result.training.max_epochs = 5;
        result.training.ema = 0.0;
        result.validation.metric = Metric::cross_entropy;
        result.validation.patience = 0;
        result.checkpoints.keep_best = 3;
        result.checkpoints.average = 3;
        result.checkpoints.average_of = of;
        result.runtime.log_level = LogLevel::info;
        return result;
    }

    // Biases of the output that are too small to change a logit: all models translate alike, and so does their mean,
    // which is then no worse.
    Config all_as_good(const std::string& run) const {
        Config result = averaged(run, AverageOf::last);
        result.training.freeze = {"encoder", "decoder", "*embedding", "output_weight"};
        result.training.optimizer.learning_rate = 1e-12;
        return result;
    }

    std::vector<std::string> files(const std::string& run, const std::string& prefix) const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(at(run) / "checkpoints")) {
            const std::string name = entry.path().filename().string();
            if (name.rfind(prefix, 0) == 0) {
                names.push_back(name);
            }
        }
        std::sort(names.begin(), names.end());
        return names;
    }

    // Whether the model of a run has the weights of the mean of these files.
    bool is_mean(const std::string& run, const std::vector<std::string>& names) const {
        std::vector<std::string> paths;
        for (const std::string& name : names) {
            paths.push_back(at(run) / "checkpoints" / name);
        }
        const TensorFile mean = average_checkpoints(paths);
        const TensorFile model = read_safetensors(at(run) / "model.safetensors");
        return std::equal(mean.tensors.begin(), mean.tensors.end(), model.tensors.begin(), model.tensors.end(),
                          [](const auto& a, const auto& b) { return a.first == b.first && a.second.equal(b.second); });
    }

    std::string log_of(const std::string& run) const { return bytes(run + "/train.log"); }
};

TEST_F(MeanOfModelsTest, OfTheBestIsKeptWhereItIsNotWorse) {
    Config run = averaged("run", AverageOf::best);
    train(run, false);
    const std::string log = log_of("run");
    const bool kept = has(log, "the mean is kept as the model");
    EXPECT_NE(kept, has(log, "the best model stays")) << log;
    const std::vector<std::string> best = files("run", "best-");
    ASSERT_EQ(best.size(), 3U);
    EXPECT_EQ(is_mean("run", {"best-75.safetensors", "best-60.safetensors", "best-45.safetensors"}), kept);
    EXPECT_TRUE(files("run", "recent-").empty());
    // The loss falls fast here, so the mean of the last three is worse than the last.
    EXPECT_FALSE(kept) << log;
    EXPECT_TRUE(has(log, "mean of 3 models: cross-entropy")) << log;
}

TEST_F(MeanOfModelsTest, OfTheLastIsTheModelIfItsScoreIsAsGood) {
    Config run = all_as_good("run");
    train(run, false);
    const std::vector<std::string> recent = files("run", "recent-");
    EXPECT_EQ(recent,
              (std::vector<std::string>{"recent-45.safetensors", "recent-60.safetensors", "recent-75.safetensors"}));
    const std::string log = log_of("run");
    EXPECT_TRUE(has(log, "the mean is kept as the model")) << log;
    EXPECT_TRUE(is_mean("run", recent));
    const auto metadata = read_safetensors(at("run") / "model.safetensors").metadata;
    EXPECT_EQ(metadata.at("averaged"), "recent-45.safetensors recent-60.safetensors recent-75.safetensors");
    EXPECT_EQ(metadata.at("update"), "75");
    EXPECT_EQ(metadata.count("cross_entropy"), 1U);
}

TEST_F(MeanOfModelsTest, AResumedRunEndsWithTheSameBytes) {
    Config whole = all_as_good("whole");
    train(whole, false);
    Config parts = whole;
    parts.checkpoints.directory = at("parts");
    parts.runtime.workers = 1;
    for (const std::int64_t epochs : {2, 5, 5}) {  // one that has ended ends again
        parts.training.max_epochs = epochs;
        train(parts, epochs > 2);
    }
    EXPECT_TRUE(bytes("parts/model.safetensors") == bytes("whole/model.safetensors"));
    EXPECT_TRUE(has(log_of("parts"), "the mean is kept")) << log_of("parts");
    EXPECT_EQ(bytes("parts/validation.best.txt"), bytes("whole/validation.best.txt"));
    EXPECT_EQ(files("parts", "recent-"), files("whole", "recent-"));
}

// The losses of the first two models are so near that their mean is better than both; of the last three it is worse.
TEST_F(MeanOfModelsTest, TheBestModelComesBackAfterAnEarlierMean) {
    Config whole = all_as_good("whole");
    whole.training.optimizer.learning_rate = 1.0;
    train(whole, false);
    EXPECT_TRUE(has(log_of("whole"), "the best model stays")) << log_of("whole");
    Config parts = whole;
    parts.checkpoints.directory = at("parts");
    parts.training.max_epochs = 2;
    train(parts, false);
    EXPECT_TRUE(has(log_of("parts"), "the mean is kept")) << log_of("parts");
    EXPECT_EQ(read_safetensors(at("parts") / "model.safetensors").metadata.count("averaged"), 1U);
    parts.training.max_epochs = 5;
    train(parts, true);
    EXPECT_TRUE(bytes("parts/model.safetensors") == bytes("whole/model.safetensors"));
    EXPECT_EQ(bytes("parts/validation.best.txt"), bytes("whole/validation.best.txt"));
}

TEST_F(MeanOfModelsTest, ModelsOfLaterUpdatesAreForgotten) {
    Config run = averaged("run", AverageOf::last);
    train(run, false);
    const Checkpoints checkpoints(at("run"), run.checkpoints);
    EXPECT_EQ(checkpoints.to_average({}).size(), 3U);
    checkpoints.remove_recent_after(60);
    EXPECT_EQ(files("run", "recent-"), (std::vector<std::string>{"recent-45.safetensors", "recent-60.safetensors"}));
    EXPECT_EQ(checkpoints.to_average({}).back(), at("run") / "checkpoints" / "recent-60.safetensors");
}

TEST_F(MeanOfModelsTest, ModelsFromBeforeOneWithoutAMeanAreForgotten) {
    Config run = averaged("run", AverageOf::last);
    run.training.max_epochs = 3;
    train(run, false);
    EXPECT_EQ(files("run", "recent-").size(), 3U);
    run.checkpoints.average = 0;
    run.training.max_epochs = 4;
    train(run, true);
    run.checkpoints.average = 3;
    run.training.max_epochs = 5;
    train(run, true);
    EXPECT_EQ(files("run", "recent-"), std::vector<std::string>{"recent-75.safetensors"});
}

TEST_F(MeanOfModelsTest, OfOneModelThereIsNone) {
    Config run = averaged("run", AverageOf::last);
    run.training.max_epochs = 1;
    train(run, false);
    EXPECT_TRUE(has(log_of("run"), "no mean of models was tried: there is 1")) << log_of("run");
}

}  // namespace
}  // namespace softalign
