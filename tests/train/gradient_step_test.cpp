#include "train/gradient_step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/random.h"
#include "ops/plain_execution.h"
#include "train/small_step.h"

namespace softalign {
namespace {

Config small_config() {
    Config config;
    config.model.embedding_size = 6;
    config.model.encoder.hidden_size = 5;
    config.model.decoder.hidden_size = 5;
    config.model.attention.size = 4;
    config.model.dropout.output = 0.3;
    config.model.dropout.recurrent = 0.2;
    config.training.shards = 3;
    config.training.label_smoothing = 0.1;
    config.training.ema = 0.9;
    return config;
}

Batch random_batch(std::uint64_t key, int sentences) {
    Random random(key);
    std::vector<Example> examples(static_cast<std::size_t>(sentences));
    for (Example& example : examples) {
        for (std::uint64_t i = random.below(6) + 1; i > 0; --i) {
            example.source.push_back(static_cast<std::int32_t>(4 + random.below(10)));
            example.target.push_back(static_cast<std::int32_t>(4 + random.below(10)));
        }
    }
    return make_batch(examples, small_special);
}

struct Outcome {
    at::Tensor weights;
    at::Tensor average;
    UpdateSums sums;
};

// Three updates of two batches each.
Outcome train_a_little(const Config& config, int workers) {
    SmallStep small(config, workers);
    UpdateSums sums;
    for (std::int64_t update = 1; update <= 3; ++update) {
        std::vector<std::pair<Batch, std::uint64_t>> batches;
        for (std::uint64_t part = 0; part < 2; ++part) {
            const std::uint64_t key = mix_key({static_cast<std::uint64_t>(update), part});
            batches.emplace_back(random_batch(key, 8), key);
        }
        sums = small.update(batches, 0.01, update);
    }
    return {small.vectors.parameters.values().clone(), small.vectors.average, sums};
}

// Batches of 8 sentences: with 16 shards, some shards have none.
TEST(GradientStep, gives_the_same_bytes_for_any_number_of_workers_and_shards) {
    for (const std::int64_t shards : {1, 2, 3, 4, 8, 13, 16}) {
        Config config = small_config();
        config.training.shards = shards;
        config.training.optimizer.type = shards % 2 == 0 ? OptimizerType::adam : OptimizerType::sgd;
        const Outcome one = train_a_little(config, 1);
        for (const int workers : {2, 3, 4}) {
            const Outcome several = train_a_little(config, workers);
            EXPECT_TRUE(same_bytes(one.weights, several.weights)) << workers << " workers, " << shards << " shards";
            EXPECT_TRUE(same_bytes(one.average, several.average)) << workers << " workers, " << shards << " shards";
            EXPECT_EQ(one.sums.gradient_norm, several.sums.gradient_norm);
            EXPECT_EQ(one.sums.objective, several.sums.objective);
        }
    }
}

TEST(GradientStep, has_fewer_gradient_vectors_than_shards) {
    Config config = small_config();
    config.training.shards = 64;
    for (const int workers : {1, 2, 4}) {
        SmallStep small(config, workers);
        for (std::int64_t update = 1; update <= 3; ++update) {
            small.update({{random_batch(1, 128), 1}, {random_batch(2, 64), 2}}, 0.01, update);
        }
        // One for each worker, and three beside each two levels of its path to the root.
        EXPECT_LE(small.step.gradient_vectors(), static_cast<std::size_t>(10 * workers));
        EXPECT_TRUE(workers > 1 || small.step.gradient_vectors() == 10);
    }
}

TEST(GradientStep, bfloat16_changes_rounding_only_and_not_with_the_workers) {
    Config config = small_config();
    const Outcome full = train_a_little(config, 1);
    config.runtime.precision = Precision::bfloat16;
    const Outcome rounded = train_a_little(config, 1);
    EXPECT_FALSE(rounded.weights.equal(full.weights));
    EXPECT_LT((rounded.weights - full.weights).norm().item<double>(), 0.01 * full.weights.norm().item<double>());
    EXPECT_TRUE(train_a_little(config, 3).weights.equal(rounded.weights));
}

TEST(GradientStep, r_drop_gives_the_same_bytes_for_any_number_of_workers) {
    for (const Precision precision : {Precision::float32, Precision::bfloat16}) {
        Config config = small_config();
        config.runtime.precision = precision;
        const Outcome once = train_a_little(config, 1);
        config.training.r_drop = 5.0;
        const Outcome one = train_a_little(config, 1);
        const Outcome three = train_a_little(config, 3);
        EXPECT_TRUE(same_bytes(one.weights, three.weights));
        EXPECT_EQ(one.sums.objective, three.sums.objective);
        EXPECT_EQ(one.sums.tokens, once.sums.tokens);
        EXPECT_GT(one.sums.objective, once.sums.objective);
        EXPECT_FALSE(one.weights.equal(once.weights));
    }
}

TEST(GradientStep, the_number_of_shards_changes_rounding_only) {
    Config config = small_config();
    config.model.dropout = DropoutConfig{};
    config.training.shards = 1;
    const Outcome whole = train_a_little(config, 1);
    config.training.shards = 4;
    const Outcome cut = train_a_little(config, 2);
    EXPECT_NEAR(whole.sums.objective, cut.sums.objective, 1e-3);
    EXPECT_EQ(whole.sums.tokens, cut.sums.tokens);
    EXPECT_NEAR(whole.sums.gradient_norm, cut.sums.gradient_norm, 1e-4);
}

TEST(GradientStep, the_gradient_is_the_sum_over_what_was_accumulated_divided_by_tokens_or_sentences) {
    for (const LossNormalization by : {LossNormalization::tokens, LossNormalization::sentences}) {
        Config config = small_config();
        config.model.dropout = DropoutConfig{};
        config.training.loss_normalization = by;
        config.training.optimizer.type = OptimizerType::sgd;
        config.training.clip_norm = 0.0;
        Seq2Seq plain(config.model, small_sizes);
        plain.initialize(1);
        SmallStep small(config, 2);
        const Batch first = random_batch(1, 5);
        const Batch second = random_batch(2, 7);
        small.update({{first, 1}, {second, 2}}, 0.5, 1);

        const Loss a = plain.loss(to_tensors(first, at::kCPU), 0.1, plain_execution);
        const Loss b = plain.loss(to_tensors(second, at::kCPU), 0.1, plain_execution);
        const double units = static_cast<double>(by == LossNormalization::tokens ? a.tokens + b.tokens : 12);
        ((a.objective + b.objective) / units).backward();
        const auto moved = small.model.parameters();
        const auto reference = plain.parameters();
        for (std::size_t i = 0; i < reference.size(); ++i) {
            const at::Tensor expected = reference[i].detach() - 0.5 * reference[i].grad();
            EXPECT_TRUE(at::allclose(moved[i], expected, 1e-4, 1e-6));
        }
    }
}

// The recurrent weights are multiplied in packed copies. Whoever changes the weights between two updates, the next one
// reads what is there.
TEST(GradientStep, no_copy_of_the_weights_outlives_an_update) {
    const auto update = [](SmallStep& small, std::int64_t t) {
        const auto key = static_cast<std::uint64_t>(t);
        return small.update({{random_batch(key, 8), key}}, 0.01, t);
    };
    SmallStep straight(small_config(), 2);
    const at::Tensor other_weights = straight.vectors.parameters.values() * 1.5;
    SmallStep changed(small_config(), 2);
    update(changed, 1);  // makes the copies
    for (SmallStep* small : {&straight, &changed}) {
        const at::NoGradGuard no_grad;
        small->vectors.parameters.values().copy_(other_weights);
        for (const auto& [name, state] : small->vectors.optimizer.state()) {
            at::Tensor(state).zero_();
        }
    }
    const UpdateSums expected = update(straight, 2);
    const UpdateSums found = update(changed, 2);
    EXPECT_EQ(found.objective, expected.objective);
    EXPECT_EQ(found.gradient_norm, expected.gradient_norm);
    EXPECT_TRUE(same_bytes(changed.vectors.parameters.values(), straight.vectors.parameters.values()));
}

TEST(GradientStep, tells_of_weights_that_an_update_makes_infinite) {
    for (const double rate : {0.1, 3e38}) {
        Config config = small_config();
        config.training.optimizer.type = OptimizerType::sgd;
        config.training.clip_norm = 0.0;
        SmallStep small(config, 2);
        {
            const at::NoGradGuard no_grad;
            small.model.named_parameters()["output_bias"].fill_(3.4e38);  // as large as may be
        }
        const UpdateSums sums = small.update({{random_batch(1, 8), 1}}, rate, 1);
        EXPECT_TRUE(sums.applied);
        EXPECT_EQ(sums.weights_finite, small.vectors.parameters.values().isfinite().all().item<bool>());
        EXPECT_EQ(sums.weights_finite, rate < 1.0);
    }
}

TEST(GradientStep, clips_to_the_global_norm) {
    Config config = small_config();
    config.training.optimizer.type = OptimizerType::sgd;
    config.training.clip_norm = 1e-3;
    SmallStep small(config, 1);
    const at::Tensor before = small.vectors.parameters.values().clone();
    const UpdateSums sums = small.update({{random_batch(1, 5), 1}}, 1.0, 1);
    EXPECT_GT(sums.gradient_norm, 1e-3);
    EXPECT_NEAR((small.vectors.parameters.values() - before).norm().item<double>(), 1e-3, 1e-6);
}

TEST(GradientStep, names_the_sentences_whose_loss_is_not_finite) {
    SmallStep small(small_config(), 1);
    std::vector<Example> examples(4);
    for (std::size_t i = 0; i < examples.size(); ++i) {
        examples[i] = {static_cast<std::int64_t>(10 + i), {5, 6}, {7, 8, 9}};
    }
    const Batch good = make_batch(examples, small_special);
    EXPECT_TRUE(small.step.sentences_not_finite(good).empty());

    examples[1].source.push_back(13);
    examples[3].source.insert(examples[3].source.begin(), 13);
    const at::NoGradGuard no_grad;
    small.model.named_parameters()["source_embedding"].select(0, 13).fill_(std::numeric_limits<float>::quiet_NaN());
    EXPECT_EQ(small.step.sentences_not_finite(make_batch(examples, small_special)),
              (std::vector<std::int64_t>{11, 13}));
    EXPECT_TRUE(small.step.sentences_not_finite(good).empty());
}

TEST(GradientStep, leaves_the_weights_alone_when_the_gradient_is_not_finite) {
    SmallStep small(small_config(), 2);
    {
        const at::NoGradGuard no_grad;
        small.model.named_parameters()["output_bias"][5] = std::numeric_limits<float>::quiet_NaN();
    }
    const at::Tensor before = small.vectors.parameters.values().clone();
    EXPECT_FALSE(small.update({{random_batch(1, 5), 1}}, 0.1, 1).applied);
    EXPECT_TRUE(same_bytes(before, small.vectors.parameters.values()));
    {
        const at::NoGradGuard no_grad;
        small.model.named_parameters()["output_bias"][5] = 0.0F;
    }
    EXPECT_TRUE(small.update({{random_batch(1, 5), 1}}, 0.1, 1).applied) << "nothing of the bad gradient is left";
}

TEST(GradientStep, leaves_the_weights_alone_when_only_the_loss_is_infinite) {
    SmallStep small(small_config(), 2);
    {
        const at::NoGradGuard no_grad;
        small.model.named_parameters()["output_bias"][5] = -std::numeric_limits<float>::infinity();
    }
    const at::Tensor before = small.vectors.parameters.values().clone();
    const UpdateSums sums = small.update({{random_batch(1, 8), 1}}, 0.1, 1);
    EXPECT_TRUE(std::isinf(sums.objective));
    EXPECT_TRUE(std::isfinite(sums.gradient_norm));
    EXPECT_FALSE(sums.applied);
    EXPECT_TRUE(same_bytes(before, small.vectors.parameters.values()));
}

}  // namespace
}  // namespace softalign
