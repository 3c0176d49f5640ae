// Memory that runs out, and memory that must not grow.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/random.h"
#include "platform/memory.h"
#include "platform/tight_memory.h"
#include "train/small_step.h"
#include "train/trainer.h"
#include "train/training_test.h"
#include "train/validator.h"

namespace softalign {
namespace {

Batch batch_of(std::uint64_t key, int sentences, int words) {
    Random random(key);
    std::vector<Example> examples(static_cast<std::size_t>(sentences));
    for (Example& example : examples) {
        for (int i = 0; i < words; ++i) {
            example.source.push_back(static_cast<std::int32_t>(4 + random.below(10)));
            example.target.push_back(static_cast<std::int32_t>(4 + random.below(10)));
        }
    }
    return make_batch(examples, small_special);
}

struct SmallUpdate {
    at::Tensor weights;
    UpdateSums sums;
};

// One update of two batches with little memory left. None where that is too little for a sentence.
std::optional<SmallUpdate> update_within(const Config& config, std::uint64_t bytes) {
    SmallStep small(config, 2);
    small.update({{batch_of(3, 16, 3), 1}}, 0.1, 1);  // every thread has what it keeps
    const at::Tensor before = small.vectors.parameters.values().clone();
    const std::vector<std::pair<Batch, std::uint64_t>> batches{
        {batch_of(1, 16, 3), 1}, {batch_of(2, 32 * static_cast<int>(config.training.shards), 40), 2}};
    std::optional<UpdateSums> sums;
    {
        const TightMemory tight(bytes);
        try {
            sums = small.update(batches, 0.1, 2);
        } catch (const std::exception& error) {
            EXPECT_TRUE(is_out_of_memory(error)) << error.what();
        }
    }
    if (!sums) {
        EXPECT_TRUE(small.vectors.parameters.values().equal(before));
        small.update(batches, 0.1, 2);
        SmallStep other(config, 2);
        other.update({{batch_of(3, 16, 3), 1}}, 0.1, 1);
        other.update(batches, 0.1, 2);
        EXPECT_TRUE(small.vectors.parameters.values().equal(other.vectors.parameters.values()))
            << "nothing of the update that failed is left";
        return std::nullopt;
    }
    return SmallUpdate{small.vectors.parameters.values().clone(), *sums};
}

void update_with_less_and_less_memory() {
    constexpr std::uint64_t mebibyte = 1 << 20;
    Config config;
    config.model.embedding_size = 32;
    config.model.encoder.hidden_size = 64;
    config.model.decoder.hidden_size = 64;
    config.model.attention.size = 64;
    config.training.optimizer.type = OptimizerType::sgd;
    for (const double dropout : {0.0, 0.2}) {
        config.model.dropout.output = dropout;
        config.training.shards = dropout > 0.0 ? 4 : 2;
        const SmallUpdate whole = update_within(config, 4096 * mebibyte).value();
        ASSERT_EQ(whole.sums.computed_again, 0);
        bool one_after_another = false;
        bool cut = false;
        std::string tried;
        for (std::uint64_t room = 128; room > 0; room = room * 4 / 5) {
            const std::optional<SmallUpdate> tight = update_within(config, room * mebibyte);
            if (!tight) {
                break;
            }
            const std::string where = std::to_string(room) + " MiB, cut into " + std::to_string(tight->sums.cut_into);
            tried += where + "; ";
            EXPECT_EQ(tight->sums.tokens, whole.sums.tokens) << where;
            EXPECT_EQ(tight->sums.sentences, whole.sums.sentences) << where;
            if (tight->sums.cut_into == 1) {
                EXPECT_TRUE(tight->weights.equal(whole.weights)) << where;
                EXPECT_EQ(tight->sums.gradient_norm, whole.sums.gradient_norm) << where;
                one_after_another = one_after_another || tight->sums.computed_again > 0;
            } else if (dropout == 0.0) {
                EXPECT_TRUE(at::allclose(tight->weights, whole.weights, 1e-4, 1e-6)) << where;
                EXPECT_NEAR(tight->sums.objective, whole.sums.objective, 1e-5 * whole.sums.objective) << where;
            }
            cut = cut || tight->sums.cut_into > 1;
        }
        EXPECT_TRUE(one_after_another) << tried;
        EXPECT_TRUE(cut) << tried;
    }
}

TEST(MemoryDeathTest, a_batch_too_large_is_computed_in_parts_with_the_same_update) {
    expect_success_in_own_process(update_with_less_and_less_memory);
}

// Few sentences, but long ones.
void validate_with_more_and_more_memory(Config config, const std::string& directory) {
    config.model.encoder.hidden_size = 128;
    config.model.decoder.hidden_size = 128;
    config.model.attention.size = 128;
    config.validation.translate = false;
    config.validation.metric = Metric::cross_entropy;
    std::string text;
    for (int line = 0; line < 256; ++line) {
        for (int word = 0; word < 40 + line % 40; ++word) {
            text += (word + line) % 3 == 0 ? "alpha " : "kilo ";
        }
        text += "\n";
    }
    std::ofstream(config.data.valid_source) << text;
    std::ofstream(config.data.valid_target) << text;
    const RunData data = load_run_data(config, make_vocabularies(config, directory), directory);
    Seq2Seq model(config.model, data.sizes());
    model.initialize(1);
    ValidationResult whole;
    // A thread that ends, so that those of the pool keep nothing of it.
    std::thread([&] {
        WorkerPool alone(1);
        whole = Validator(config, data, alone).run(model);
    }).join();
    ASSERT_EQ(whole.computed_again, 0);
    WorkerPool pool(2);
    const Validator validator(config, data, pool);
    std::int64_t again = 0;
    // More and more, because threads keep what they were given.
    for (std::uint64_t room = 1; room <= 128; room = room * 5 / 4 + 1) {
        try {
            const TightMemory tight(room << 20);
            const ValidationResult result = validator.run(model);
            again += result.computed_again;
            EXPECT_NEAR(result.cross_entropy, whole.cross_entropy, 1e-5) << room << " MiB";
        } catch (const std::exception& error) {
            EXPECT_TRUE(is_out_of_memory(error)) << error.what();
        }
    }
    EXPECT_GT(again, 0);
}

class MemoryOfTraining : public Training {};
using MemoryOfTrainingDeathTest = MemoryOfTraining;

TEST_F(MemoryOfTrainingDeathTest, a_validation_too_large_is_computed_in_parts) {
    expect_success_in_own_process([this] { validate_with_more_and_more_memory(config("run"), at("run").string()); });
}

TEST_F(MemoryOfTraining, does_not_grow_over_thousands_of_updates) {
    if (sanitized) {
        GTEST_SKIP() << "a sanitizer keeps freed memory for a while";
    }
    Config run = config("run");
    run.vocabulary.type = VocabularyType::unigram;
    run.vocabulary.size = 30;
    run.vocabulary.sampling_alpha = 0.5;
    run.training.max_epochs = 0;
    run.training.max_updates = 500;
    run.validation.patience = 0;
    run.validation.every = 5;
    run.report.tensorboard = true;
    train(run, false);
    const std::uint64_t before = process_memory().resident;
    run.training.max_updates = 3000;
    train(run, true);
    const std::uint64_t after = process_memory().resident;
    // 2500 updates: two kilobytes lost in each would show.
    EXPECT_LT(static_cast<double>(after) - static_cast<double>(before), 5e6);
}

}  // namespace
}  // namespace softalign
