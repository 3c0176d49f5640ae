#include "train/scheduled_sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "train/trainer.h"
#include "train/training_test.h"

namespace softalign {
namespace {

double probability(SamplingDecay decay, double k, std::int64_t update, double slope = 0.0, double minimum = 0.0) {
    return true_word_probability({decay, k, slope, minimum}, update);
}

TEST(TrueWordProbability, IsThatOfThePaper) {
    EXPECT_EQ(probability(SamplingDecay::none, 0.5, 100), 1.0);
    EXPECT_DOUBLE_EQ(probability(SamplingDecay::linear, 0.9, 1, 0.001), 0.9);
    EXPECT_DOUBLE_EQ(probability(SamplingDecay::linear, 0.9, 101, 0.001), 0.8);
    EXPECT_DOUBLE_EQ(probability(SamplingDecay::linear, 0.9, 100000, 0.001), 0.0);
    EXPECT_DOUBLE_EQ(probability(SamplingDecay::linear, 0.9, 100000, 0.001, 0.25), 0.25);
    EXPECT_DOUBLE_EQ(probability(SamplingDecay::exponential, 0.99, 1), 1.0);
    EXPECT_DOUBLE_EQ(probability(SamplingDecay::exponential, 0.99, 3), 0.9801);
    EXPECT_DOUBLE_EQ(probability(SamplingDecay::inverse_sigmoid, 100.0, 1), 100.0 / 101.0);
    EXPECT_DOUBLE_EQ(probability(SamplingDecay::inverse_sigmoid, 100.0, 201), 100.0 / (100.0 + std::exp(2.0)));
    EXPECT_EQ(probability(SamplingDecay::inverse_sigmoid, 1.0, 1000000), 0.0);
    EXPECT_EQ(probability(SamplingDecay::inverse_sigmoid, 1.0, 1000000, 0.0, 0.1), 0.1);
}

class ScheduledSamplingRuns : public Training {};

TEST_F(ScheduledSamplingRuns, EndWithTheSameBytesOnAnyNumberOfWorkersAndAfterAResume) {
    for (const DecoderType decoder : {DecoderType::recurrent, DecoderType::transformer}) {
        const std::string kind = decoder == DecoderType::recurrent ? "recurrent" : "transformer";
        Config whole = config(kind);
        whole.model.decoder.type = decoder;
        whole.model.decoder.lexical = true;
        whole.model.dropout.target_words = 0.1;
        whole.training.shards = 4;
        whole.training.r_drop = 1.0;
        whole.training.scheduled_sampling.decay = SamplingDecay::inverse_sigmoid;
        whole.training.scheduled_sampling.k = 5.0;
        expect_same_bytes_in_parts(whole, {7, 20});
        Config without = whole;
        without.checkpoints.directory = at(kind + "-without");
        without.training.max_epochs = 0;
        without.training.max_updates = 20;
        without.training.scheduled_sampling.decay = SamplingDecay::none;
        train(without, false);
        const std::string last = "/checkpoints/last-20.safetensors";
        EXPECT_FALSE(tensors(kind + last) == tensors(kind + "-without" + last));
    }
}

TEST_F(ScheduledSamplingRuns, LearnFromTheirOwnWords) {
    Config run = config("run");
    run.training.max_epochs = 30;
    run.training.scheduled_sampling.decay = SamplingDecay::linear;
    run.training.scheduled_sampling.slope = 0.005;
    run.training.scheduled_sampling.minimum = 0.1;
    const TrainingResult result = train(run, false);
    ASSERT_FALSE(result.state.best.empty());
    EXPECT_GT(result.state.best.front().score, 80.0);
    for (const nlohmann::json& record : metrics("run")) {
        if (record.at("type") == "train") {
            EXPECT_EQ(record.at("true_words"),
                      true_word_probability(run.training.scheduled_sampling, record.at("update").get<std::int64_t>()));
        }
    }
}

}  // namespace
}  // namespace softalign
