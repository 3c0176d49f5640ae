#include "train/checkpoints.h"

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "train/run_settings.h"
#include "train/run_state.h"
#include "train/small_step.h"
#include "train/training_test.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

class CheckpointsTest : public Training {
protected:
    CheckpointsTest() { small_config_.checkpoints.keep_last = 2; }

    // Saves an update, the last `bad` of which left the weights alone, and names the updates that are on the disk then.
    std::string after_saving(std::int64_t update, std::int64_t bad, bool on_signal = false) {
        RunState state;
        state.update = update;
        state.on_signal = on_signal;
        state.bad_in_a_row = bad;
        checkpoints().save(state, small_.vectors, RunSettings());
        return saved();
    }

    std::string saved() const {
        std::string names;
        for (std::int64_t update = 0; update < 100; ++update) {
            const std::string name = "last-" + std::to_string(update) + ".safetensors";
            names += fs::exists(at("run") / "checkpoints" / name) ? std::to_string(update) + " " : "";
        }
        return names;
    }

    Checkpoints checkpoints() const { return {at("run").string(), small_config_.checkpoints}; }

    Config small_config_ = [] {
        Config config;
        config.model.embedding_size = 4;
        config.model.encoder.hidden_size = 4;
        config.model.decoder.hidden_size = 4;
        config.model.attention.size = 4;
        return config;
    }();
    SmallStep small_{small_config_, 1};
};

TEST_F(CheckpointsTest, KeepsTheLastOnesAndNoneOfUpdatesToCome) {
    EXPECT_EQ(after_saving(5, 0), "5 ");
    EXPECT_EQ(after_saving(10, 0), "5 10 ");
    EXPECT_EQ(after_saving(15, 0), "10 15 ");
    EXPECT_EQ(after_saving(12, 0), "10 12 ") << "the run went back";
}

TEST_F(CheckpointsTest, UpdatesThatLeftTheWeightsAloneDisplaceNothingButEachOther) {
    after_saving(5, 0);
    after_saving(10, 0);
    EXPECT_EQ(after_saving(12, 1), "5 10 12 ");
    EXPECT_EQ(after_saving(13, 2), "5 10 13 ");
    EXPECT_EQ(after_saving(20, 0), "13 20 ");
}

TEST_F(CheckpointsTest, OneOfEarlierWeightsStaysEvenWhereOneIsKept) {
    small_config_.checkpoints.keep_last = 1;
    EXPECT_EQ(after_saving(5, 0), "5 ");
    EXPECT_EQ(after_saving(10, 0), "5 10 ");
    EXPECT_EQ(after_saving(12, 2), "5 10 12 ");
    EXPECT_EQ(after_saving(15, 0), "12 15 ");
}

TEST_F(CheckpointsTest, ThoseThatLedToADivergenceAreRemovedWhereThereIsOneBefore) {
    after_saving(5, 0);
    after_saving(10, 0);
    after_saving(12, 2);
    EXPECT_FALSE(checkpoints().remove_from(5, true));
    EXPECT_EQ(saved(), "5 10 12 ");
    EXPECT_TRUE(checkpoints().remove_from(10, true));
    EXPECT_EQ(saved(), "5 ");
}

TEST_F(CheckpointsTest, ThoseOfSignalsDisplaceNoneAndAreNotGoneBackTo) {
    after_saving(5, 0);
    after_saving(10, 0);
    EXPECT_EQ(after_saving(12, 0, true), "5 10 12 ");
    EXPECT_EQ(checkpoints().restore(small_.vectors, Checkpoints::any_update).update, 12);
    EXPECT_EQ(after_saving(13, 0, true), "5 10 13 ");
    EXPECT_TRUE(checkpoints().remove_from(20, false));
    EXPECT_EQ(saved(), "5 10 13 ");
    EXPECT_TRUE(checkpoints().remove_from(20, true));
    EXPECT_EQ(saved(), "5 10 ");
    after_saving(14, 1, true);
    EXPECT_EQ(after_saving(15, 0), "10 15 ");
    EXPECT_EQ(after_saving(16, 0, true), "10 15 16 ");
    EXPECT_FALSE(checkpoints().remove_from(10, true));
    EXPECT_EQ(saved(), "10 15 16 ");
    for (const char* name : {"last-10.safetensors", "last-15.safetensors"}) {
        fs::resize_file(at("run") / "checkpoints" / name, 20);
    }
    EXPECT_FALSE(checkpoints().remove_from(20, true)) << "the others are damaged";
    EXPECT_EQ(saved(), "10 15 16 ");
}

TEST_F(CheckpointsTest, TheNewestBelowALimitIsRestored) {
    after_saving(5, 0);
    after_saving(10, 0);
    EXPECT_EQ(checkpoints().restore(small_.vectors, Checkpoints::any_update).update, 10);
    EXPECT_EQ(checkpoints().restore(small_.vectors, 11).update, 10);
    EXPECT_EQ(checkpoints().restore(small_.vectors, 10).update, 5) << "one that could not be removed is passed over";
    EXPECT_THROW(checkpoints().restore(small_.vectors, 5), Error);
}

}  // namespace
}  // namespace softalign
