#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/types.h>

// Needs torch/types.h, which it does not include.
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "fixtures.h"
#include "ops/plain_execution.h"

namespace softalign {
namespace {

ModelConfig small_config(CellType cell, Order order, AttentionType attention) {
    ModelConfig config;
    config.embedding_size = 16;
    config.encoder.cell = cell;
    config.encoder.hidden_size = 24;
    config.decoder.cell = cell;
    config.decoder.hidden_size = 48;
    config.decoder.attend = order == Order::before ? AttendWhen::before : AttendWhen::after;
    config.decoder.input_feeding = order == Order::after_feeding;
    config.attention.type = attention;
    config.attention.size = 32;
    return config;
}

// Random sentences of 1 to 6 words out of ten, with what `target_of` makes of each.
template <typename Function>
std::vector<Pair> random_pairs(std::int64_t count, std::uint64_t key, Function target_of) {
    Random random(key);
    std::vector<Pair> pairs;
    for (std::int64_t i = 0; i < count; ++i) {
        Pair pair;
        for (std::uint64_t length = 1 + random.below(6); length > 0; --length) {
            pair.source.push_back(4 + static_cast<std::int64_t>(random.below(10)));
        }
        pair.target = target_of(pair.source);
        pairs.push_back(pair);
    }
    return pairs;
}

double nats_a_token(const Loss& loss) {
    return loss.negative_log_prob.item<double>() / static_cast<double>(loss.tokens);
}

double train_step(Seq2Seq& model, torch::optim::Optimizer& optimizer, const TensorBatch& batch) {
    const Loss loss = model.loss(batch, 0.0, plain_execution);
    optimizer.zero_grad();
    (loss.objective / static_cast<double>(loss.tokens)).backward();
    torch::nn::utils::clip_grad_norm_(model.parameters(), 1.0);
    optimizer.step();
    return nats_a_token(loss);
}

class LearningTest : public testing::Test {
protected:
    void SetUp() override { at::set_num_threads(1); }
};

TEST_F(LearningTest, OverfitsOneBatchWithAdam) {
    const TensorBatch batch = make_tensors(random_pairs(6, 71, [](std::vector<std::int64_t> words) {
        for (std::int64_t& word : words) {
            word = 4 + (7 * word) % 10;
        }
        return words;
    }));
    for (const CellType cell : {CellType::gru, CellType::lstm}) {
        for (const Order order : {Order::before, Order::after, Order::after_feeding}) {
            Seq2Seq model(small_config(cell, order, AttentionType::general), {14, 14});
            model.initialize(72);
            torch::optim::Adam optimizer(model.parameters(), torch::optim::AdamOptions(1e-2));
            double loss = 0.0;
            for (int update = 0; update < 120; ++update) {
                loss = train_step(model, optimizer, batch);
            }
            EXPECT_LT(loss, 0.01) << static_cast<int>(cell) << " " << static_cast<int>(order);
        }
    }
}

ModelConfig kind_config(EncoderType encoder, DecoderType decoder) {
    ModelConfig config = small_config(CellType::gru, Order::before, AttentionType::additive);
    config.encoder.type = encoder;
    config.encoder.hidden_size = 24;
    config.decoder.type = decoder;
    config.decoder.hidden_size = 16;
    config.transformer.heads = 4;
    config.transformer.feed_forward_size = 32;
    return config;
}

TEST_F(LearningTest, OverfitsOneBatchWithEveryKind) {
    const TensorBatch batch = make_tensors(random_pairs(6, 71, [](std::vector<std::int64_t> words) {
        std::reverse(words.begin(), words.end());
        return words;
    }));
    for (const EncoderType encoder : {EncoderType::recurrent, EncoderType::transformer, EncoderType::convolutional}) {
        for (const DecoderType decoder : {DecoderType::recurrent, DecoderType::transformer}) {
            for (const NormPlace norm : {NormPlace::pre, NormPlace::post}) {
                ModelConfig config = kind_config(encoder, decoder);
                config.transformer.norm = norm;
                Seq2Seq model(config, {14, 14});
                model.initialize(78);
                torch::optim::Adam optimizer(model.parameters(), torch::optim::AdamOptions(5e-3));
                double loss = 0.0;
                for (int update = 0; update < 160; ++update) {
                    loss = train_step(model, optimizer, batch);
                }
                EXPECT_LT(loss, 0.03) << static_cast<int>(encoder) << " " << static_cast<int>(decoder) << " "
                                      << static_cast<int>(norm);
            }
        }
    }
}

TEST_F(LearningTest, OverfitsOneBatchWithPlainGradientDescent) {
    const TensorBatch batch =
        make_tensors(random_pairs(4, 73, [](const std::vector<std::int64_t>& words) { return words; }));
    Seq2Seq model(small_config(CellType::gru, Order::before, AttentionType::additive), {14, 14});
    model.initialize(74);
    torch::optim::SGD optimizer(model.parameters(), torch::optim::SGDOptions(1.0));
    double loss = 0.0;
    for (int update = 0; update < 250; ++update) {
        loss = train_step(model, optimizer, batch);
    }
    EXPECT_LT(loss, 0.02);
}

// Trains on fresh random sentences, so a low loss is the rule learnt, not sentences remembered; returns the loss of
// sentences drawn with another key.
template <typename Function>
double learn(const ModelConfig& config, int updates, Function target_of) {
    Seq2Seq model(config, {14, 14});
    model.initialize(75);
    torch::optim::Adam optimizer(model.parameters(), torch::optim::AdamOptions(8e-3));
    for (int update = 0; update < updates; ++update) {
        const double progress = static_cast<double>(update) / updates;
        static_cast<torch::optim::AdamOptions&>(optimizer.param_groups()[0].options())
            .lr(8e-3 * (1.0 - 0.9 * progress));
        train_step(model, optimizer,
                   make_tensors(random_pairs(32, mix_key({76, static_cast<std::uint64_t>(update)}), target_of)));
    }
    const at::NoGradGuard no_grad;
    return nats_a_token(model.loss(make_tensors(random_pairs(200, 77, target_of)), 0.0, plain_execution));
}

TEST_F(LearningTest, LearnsToCopy) {
    const auto copy = [](const std::vector<std::int64_t>& words) { return words; };
    EXPECT_LT(learn(small_config(CellType::gru, Order::before, AttentionType::additive), 400, copy), 0.03);
}

TEST_F(LearningTest, LearnsToReverse) {
    const auto reverse = [](std::vector<std::int64_t> words) {
        std::reverse(words.begin(), words.end());
        return words;
    };
    EXPECT_LT(learn(small_config(CellType::gru, Order::before, AttentionType::additive), 400, reverse), 0.03);
    EXPECT_LT(learn(small_config(CellType::lstm, Order::after_feeding, AttentionType::general), 400, reverse), 0.03);
}

TEST_F(LearningTest, ATransformerLearnsToReverse) {
    const auto reverse = [](std::vector<std::int64_t> words) {
        std::reverse(words.begin(), words.end());
        return words;
    };
    EXPECT_LT(learn(kind_config(EncoderType::transformer, DecoderType::transformer), 400, reverse), 0.1);
}

}  // namespace
}  // namespace softalign
