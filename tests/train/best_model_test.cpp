#include <cstdint>
#include <filesystem>
#include <string>

#include "train/best_model.h"

#include "train/small_step.h"
#include "train/training_test.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

class BestModelTest : public Training {
protected:
    // Of an update, with the weights as they are then.
    BestCandidate candidate(std::int64_t update, bool is_first) const {
        BestCandidate best;
        best.state.update = update;
        best.state.best = {{30.0, 7}, {20.0, 8}};
        best.weights = small_.parameters.values();
        best.is_first = is_first;
        best.translations = {"of update " + std::to_string(update)};
        return best;
    }

    void train_on() {
        const at::NoGradGuard no_grad;
        small_.parameters.values().add_(1.0);
    }

    // What is written where there is room.
    std::string expected() const {
        Checkpoints checkpoints(at("whole").string(), CheckpointConfig());
        BestModel best(checkpoints, small_.parameters, at("whole").string());
        fs::create_directories(at("whole") / "checkpoints");
        best.keep(candidate(7, true));
        EXPECT_FALSE(best.waits());
        return read_bytes(at("whole") / "model.safetensors");
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

TEST_F(BestModelTest, OneThatFindsNoRoomIsKeptInMemoryUntilItDoes) {
    const std::string whole = expected();
    const fs::path directory = at("run");
    const fs::path in_the_way = directory / "model.safetensors";
    fs::create_directories(directory / "checkpoints");
    fs::create_directories(in_the_way / "something");
    Checkpoints checkpoints(directory.string(), CheckpointConfig());
    BestModel best(checkpoints, small_.parameters, directory.string());
    best.keep(candidate(7, true));
    EXPECT_TRUE(best.waits());
    train_on();
    EXPECT_FALSE(best.write());
    best.keep(candidate(8, false));  // a lesser one does not take its place
    train_on();
    EXPECT_TRUE(best.waits());

    fs::remove_all(in_the_way);
    EXPECT_TRUE(best.write());
    EXPECT_FALSE(best.waits());
    EXPECT_EQ(read_bytes(in_the_way), whole);
    EXPECT_EQ(read_bytes(directory / "validation.best.txt"), "of update 7\n");
}

}  // namespace
}  // namespace softalign
