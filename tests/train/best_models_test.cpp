#include "train/best_models.h"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "train/small_step.h"
#include "train/training_test.h"
#include "train/validator.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

using Best = std::vector<BestCheckpoint>;

std::vector<std::int64_t> updates_of(const Best& best) {
    std::vector<std::int64_t> updates;
    for (const BestCheckpoint& entry : best) {
        updates.push_back(entry.update);
    }
    return updates;
}

TEST(AddToBest, KeepsTheBestFirstAndOneAnUpdate) {
    Best best;
    EXPECT_TRUE(add_to_best(best, Metric::bleu, {10.0, 4}, 2));
    EXPECT_TRUE(add_to_best(best, Metric::bleu, {20.0, 8}, 2));
    EXPECT_FALSE(add_to_best(best, Metric::bleu, {10.0, 12}, 2)) << "the earlier of two equal ones stays";
    EXPECT_TRUE(add_to_best(best, Metric::bleu, {15.0, 16}, 2));
    EXPECT_EQ(updates_of(best), (std::vector<std::int64_t>{8, 16}));
    EXPECT_FALSE(add_to_best(best, Metric::bleu, {19.0, 8}, 2)) << "validated again, and worse";
    EXPECT_TRUE(add_to_best(best, Metric::bleu, {18.0, 16}, 2)) << "validated again, and better";
    EXPECT_EQ(updates_of(best), (std::vector<std::int64_t>{8, 16}));
    EXPECT_EQ(best.back().score, 18.0);
    EXPECT_TRUE(add_to_best(best, Metric::bleu, {30.0, 16}, 2));
    EXPECT_EQ(updates_of(best), (std::vector<std::int64_t>{16, 8}));
}

TEST(AddToBest, NaNIsWorseThanAnything) {
    const double nan = std::nan("");
    const double infinity = std::numeric_limits<double>::infinity();
    for (const Metric metric : {Metric::perplexity, Metric::bleu}) {
        Best best;
        EXPECT_FALSE(add_to_best(best, metric, {nan, 4}, 2));
        EXPECT_TRUE(best.empty());
    }
    Best best;
    EXPECT_TRUE(add_to_best(best, Metric::perplexity, {infinity, 4}, 1));
    EXPECT_FALSE(add_to_best(best, Metric::perplexity, {nan, 8}, 1));
    EXPECT_TRUE(add_to_best(best, Metric::perplexity, {1e30, 12}, 1));
    EXPECT_EQ(updates_of(best), std::vector<std::int64_t>{12});
    EXPECT_TRUE(is_better(Metric::perplexity, infinity, nan));
    EXPECT_TRUE(is_better(Metric::bleu, 0.0, nan));
    EXPECT_FALSE(is_better(Metric::perplexity, nan, nan));
}

class BestModelsTest : public Training {
protected:
    // Of an update, with the weights as they are then.
    BestCandidate candidate(std::int64_t update) const {
        return {update, small_.vectors.parameters.values(), {}, {"of update " + std::to_string(update)}};
    }

    void train_on() {
        const at::NoGradGuard no_grad;
        small_.vectors.parameters.values().add_(1.0);
    }

    // What is written of these weights where there is room.
    std::string expected() const {
        const Checkpoints checkpoints(at("whole").string(), CheckpointConfig());
        BestModels best(checkpoints, small_.vectors.parameters, at("whole").string());
        best.keep(candidate(7), {{30.0, 7}});
        EXPECT_FALSE(best.waits());
        return read_bytes(at("whole") / "model.safetensors");
    }

    std::string best_file(std::int64_t update) const {
        return at("run") / "checkpoints" / ("best-" + std::to_string(update) + ".safetensors");
    }

    Config config_ = [] {
        Config config;
        config.model.embedding_size = 6;
        config.model.encoder.hidden_size = 5;
        config.model.decoder.hidden_size = 5;
        config.model.attention.size = 4;
        return config;
    }();
    SmallStep small_{config_, 1};
};

TEST_F(BestModelsTest, ThoseThatFindNoRoomAreKeptInMemoryUntilTheyDo) {
    const std::string of_7 = expected();
    const fs::path directory = at("run");
    const fs::path in_the_way = best_file(7);
    fs::create_directories(in_the_way / "something");
    const Checkpoints checkpoints(directory.string(), CheckpointConfig());
    BestModels best(checkpoints, small_.vectors.parameters, directory.string());
    best.keep(candidate(7), {{30.0, 7}});
    EXPECT_TRUE(best.waits());
    train_on();
    EXPECT_FALSE(best.write());
    const std::string of_8 = expected();
    best.keep(candidate(8), {{30.0, 7}, {20.0, 8}});
    train_on();
    best.keep(candidate(9), {{30.0, 7}, {25.0, 9}});  // 8 is no longer among the best
    train_on();
    EXPECT_TRUE(best.waits());
    EXPECT_FALSE(fs::exists(directory / "model.safetensors"));

    fs::remove_all(in_the_way);
    EXPECT_TRUE(best.write());
    EXPECT_FALSE(best.waits());
    EXPECT_EQ(read_bytes(directory / "model.safetensors"), of_7);
    EXPECT_EQ(read_bytes(best_file(7)), of_7);
    EXPECT_FALSE(fs::exists(best_file(8)));
    EXPECT_TRUE(fs::exists(best_file(9)));
    EXPECT_NE(read_bytes(best_file(9)), of_8);
    EXPECT_EQ(read_bytes(directory / "validation.best.txt"), "of update 7\n");
}

TEST_F(BestModelsTest, AModelThatIsNoLongerListedIsRemovedWhenThatIsAsked) {
    const Checkpoints checkpoints(at("run").string(), CheckpointConfig());
    BestModels best(checkpoints, small_.vectors.parameters, at("run").string());
    best.keep(candidate(7), {{20.0, 7}});
    best.keep(candidate(8), {{30.0, 8}});
    EXPECT_TRUE(fs::exists(best_file(7))) << "a run that is killed now goes on from a state that lists it";
    checkpoints.remove_best_but({{30.0, 8}});
    EXPECT_FALSE(fs::exists(best_file(7)));
    EXPECT_TRUE(fs::exists(best_file(8)));
}

}  // namespace
}  // namespace softalign
