#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "metrics/bleu.h"
#include "model/seq2seq.h"
#include "ops/plain_execution.h"
#include "train/candidate_sampler.h"
#include "train/small_step.h"
#include "train/trainer.h"
#include "train/training_test.h"
#include "translate/number_tokenizer.h"

namespace softalign {
namespace {

Config small_config(std::int64_t samples) {
    Config config;
    config.model.embedding_size = 6;
    config.model.encoder.hidden_size = 5;
    config.model.decoder.hidden_size = 5;
    config.model.attention.size = 4;
    config.model.dropout.output = 0.3;
    config.training.minimum_risk.samples = samples;
    config.validation.tokenize = "none";
    config.search.max_length_ratio = 1.0;
    config.search.max_length_offset = 2;
    return config;
}

Batch small_batch() {
    std::vector<Example> examples(3);
    examples[0] = {11, {4, 5, 6}, {7, 8}};
    examples[1] = {5, {9}, {10, 11, 12, 13, 4, 5}};
    examples[2] = {7, {5, 5, 5, 5}, {}};
    return make_batch(examples, small_special);
}

// A random model over 14 pieces, and what draws from it.
struct Drawing {
    const Config config;
    NumberTokenizer words{14};
    Seq2Seq model;
    CandidateSampler sampler;

    explicit Drawing(const Config& settings)
        : config(settings), model(config.model, small_sizes), sampler(config, words, small_special) {
        model.initialize(3);
    }

    CandidateBatch draw(const Batch& batch, std::uint64_t key) const {
        return sampler.draw(model, batch, key, plain_execution);
    }
};

// The candidates of each sentence, without the end of sentence.
using Words = std::vector<std::int64_t>;
std::vector<std::vector<Words>> candidates_of(const CandidateBatch& batch) {
    std::vector<std::vector<Words>> result;
    std::size_t row = 0;
    for (const std::int64_t count : batch.counts) {
        result.emplace_back();
        for (std::int64_t i = 0; i < count; ++i, ++row) {
            const at::Tensor ids = batch.translations.target_out[static_cast<std::int64_t>(row)];
            const auto* begin = ids.data_ptr<std::int64_t>();
            result.back().emplace_back(begin, begin + batch.translations.target_lengths[row] - 1);
        }
    }
    return result;
}

std::string text_of(const Words& ids) {
    return NumberTokenizer(14).decode({ids.begin(), ids.end()});
}

TEST(CandidateSampler, GivesTheReferenceAndDistinctSamplesWithTheirRisks) {
    const Drawing drawing(small_config(40));
    const CandidateBatch batch = drawing.draw(small_batch(), 9);
    const auto candidates = candidates_of(batch);
    const std::vector<Words> references{{7, 8}, {10, 11, 12, 13, 4, 5}, {}};
    const std::size_t longest[] = {5, 3, 6};  // two more than the source
    ASSERT_EQ(candidates.size(), 3U);
    BleuOptions bleu;
    bleu.tokenizer = BleuTokenizer::none;
    bleu.smoothing = BleuSmoothing::add_k;
    std::size_t row = 0;
    for (std::size_t sentence = 0; sentence < 3; ++sentence) {
        EXPECT_EQ(candidates[sentence].front(), references[sentence]);
        EXPECT_GT(candidates[sentence].size(), 15U);
        for (std::size_t i = 0; i < candidates[sentence].size(); ++i, ++row) {
            const Words& words = candidates[sentence][i];
            EXPECT_EQ(std::count(candidates[sentence].begin(), candidates[sentence].end(), words), 1);
            EXPECT_EQ(batch.translations.source_rows[static_cast<std::int64_t>(row)].item<std::int64_t>(),
                      static_cast<std::int64_t>(sentence));
            const double score = corpus_bleu({text_of(words)}, {{text_of(references[sentence])}}, bleu).score;
            EXPECT_NEAR(batch.risks[row], 1.0 - score / 100.0, 1e-12) << text_of(words);
            EXPECT_TRUE(i == 0 || words.size() <= longest[sentence]) << text_of(words);
        }
    }
    EXPECT_EQ(batch.risks.size(), row);
}

TEST(CandidateSampler, DrawsFromTheDistributionOfTheModel) {
    Config config = small_config(1000);
    config.search.max_length_ratio = 0.0;
    config.search.max_length_offset = 1;  // so that an output is one word or none
    config.training.minimum_risk.reference = false;
    const Drawing drawing(config);
    std::vector<Example> examples(1);
    examples[0] = {3, {4, 5, 6}, {7, 8}};
    // The words that may come, of which none is so rare that a thousand samples would lack it.
    EXPECT_EQ(drawing.draw(make_batch(examples, small_special), 5).counts, std::vector<std::int64_t>{1 + 12});
    // With two samples, whether they differ says how even the distribution is.
    config.training.minimum_risk.samples = 2;
    const Drawing two(config);
    int differ = 0;
    constexpr int draws = 1000;
    for (std::uint64_t key = 0; key < draws; ++key) {
        differ += two.draw(make_batch(examples, small_special), key).counts.front() == 3 ? 1 : 0;
    }
    const at::NoGradGuard no_grad;
    const TensorBatch source = to_tensors(make_batch(examples, small_special), at::kCPU);
    const Encoded encoded = two.model.encode(source.source, plain_execution);
    const TargetStep step =
        two.model.step(at::tensor({2}, at::kLong), *two.model.decoder().prepare(encoded, plain_execution),
                       *two.model.decoder().start(encoded, plain_execution), plain_execution);
    at::Tensor probabilities = step.logits[0].softmax(0);
    probabilities[0] = 0.0;  // padding and the begin of sentence are never written
    probabilities[2] = 0.0;
    probabilities /= probabilities.sum();
    const double same = probabilities.square().sum().item<double>();
    EXPECT_NEAR(differ / static_cast<double>(draws), 1.0 - same, 0.04);
}

TEST(CandidateSampler, WhatIsDrawnForASentenceDependsOnTheKeyAndItsIdAlone) {
    for (const bool reversed : {false, true}) {
        Config config = small_config(10);
        config.model.decoder.reverse_target = reversed;
        const Drawing drawing(config);
        const Batch batch = small_batch();
        const auto together = candidates_of(drawing.draw(batch, 9));
        EXPECT_EQ(candidates_of(drawing.draw(batch, 9)), together);
        EXPECT_NE(candidates_of(drawing.draw(batch, 10)), together);
        for (std::int64_t row = 0; row < 3; ++row) {
            const CandidateBatch alone = drawing.draw(rows_of(batch, row, row + 1, small_special), 9);
            EXPECT_EQ(candidates_of(alone).front(), together[static_cast<std::size_t>(row)]);
        }
    }
}

TEST(CandidateSampler, CanLeaveTheReferenceOutAndScoreByChrf) {
    Config config = small_config(300);
    config.training.minimum_risk.reference = false;
    config.training.minimum_risk.metric = RiskMetric::chrf;
    const Drawing drawing(config);
    std::vector<Example> examples(1);
    examples[0] = {3, {4, 5, 6}, {7}};
    const CandidateBatch batch = drawing.draw(make_batch(examples, small_special), 2);
    const auto candidates = candidates_of(batch).front();
    EXPECT_EQ(std::count(candidates.begin() + 1, candidates.end(), Words{7}), 1);  // it was drawn as well
    const auto half = std::find(candidates.begin(), candidates.end(), Words{7, 4});
    EXPECT_EQ(batch.risks.front(), 0.0);
    EXPECT_EQ(*std::max_element(batch.risks.begin(), batch.risks.end()), 1.0);
    if (half != candidates.end()) {
        const double risk = batch.risks[static_cast<std::size_t>(half - candidates.begin())];
        EXPECT_GT(risk, 0.0);
        EXPECT_LT(risk, 0.5);
    }
}

TEST(CandidateSampler, AModelOfNoNumbersLeavesTheReferenceWhoseLossShowsIt) {
    Drawing drawing(small_config(5));
    drawing.model.named_parameters()["output_bias"].data().fill_(std::numeric_limits<double>::quiet_NaN());
    const CandidateBatch batch = drawing.draw(small_batch(), 9);
    EXPECT_EQ(batch.counts, (std::vector<std::int64_t>{1, 1, 1}));
    const Loss loss = drawing.model.risk_loss(batch, drawing.config.training.minimum_risk, 0.0, plain_execution);
    EXPECT_TRUE(std::isnan(loss.objective.item<double>()));
}

class MinimumRiskRuns : public Training {
protected:
    // A model that cross-entropy has begun to train, in "begun", and the configuration that goes on from it.
    Config fine_tuning(DecoderType decoder) const {
        Config begun = config("begun");
        begun.model.decoder.type = decoder;
        begun.model.decoder.reverse_target = decoder == DecoderType::transformer;
        begun.model.dropout.output = 0.0;
        begun.training.max_epochs = 4;
        train(begun, false);
        Config next = begun;
        next.training.start_from = at("begun");
        next.vocabulary.from_start_model = true;
        next.training.ema = 0.0;
        next.training.minimum_risk.samples = 8;
        next.training.minimum_risk.alpha = 0.2;
        next.validation.tokenize = "none";
        next.checkpoints.directory = at("tuned");
        return next;
    }

    // Of the records of training, in their order.
    std::vector<double> risks(const std::string& run) const {
        std::vector<double> result;
        for (const nlohmann::json& record : metrics(run)) {
            if (record.at("type") == "train") {
                result.push_back(record.at("risk"));
            }
        }
        return result;
    }
};

TEST_F(MinimumRiskRuns, EndWithTheSameBytesOnAnyNumberOfWorkersAndAfterAResume) {
    for (const DecoderType decoder : {DecoderType::recurrent, DecoderType::transformer}) {
        const std::string kind = decoder == DecoderType::recurrent ? "recurrent" : "transformer";
        Config run = config(kind);
        run.model.decoder.type = decoder;
        run.model.decoder.lexical = true;
        run.model.dropout.target_words = 0.1;
        run.training.shards = 4;
        run.training.accumulate = 2;
        run.training.minimum_risk.samples = 5;
        run.training.minimum_risk.cross_entropy_weight = 0.1;
        run.training.minimum_risk.metric = decoder == DecoderType::recurrent ? RiskMetric::bleu : RiskMetric::chrf;
        expect_same_bytes_in_parts(run, {4, 11});
        EXPECT_FALSE(risks(kind).empty());
        EXPECT_EQ(risks(kind), risks(kind + "-parts"));
    }
}

TEST_F(MinimumRiskRuns, RaiseTheBleuOfAModelThatTheyStartFrom) {
    for (const DecoderType decoder : {DecoderType::recurrent, DecoderType::transformer}) {
        Config tuning = fine_tuning(decoder);
        tuning.training.optimizer.learning_rate = 0.003;
        tuning.training.max_epochs = 6;
        const TrainingResult result = train(tuning, false);
        double before = -1.0;
        for (const nlohmann::json& record : metrics("begun")) {
            before = record.at("type") == "validation" ? record.at("bleu").get<double>() : before;
        }
        const std::vector<double> of_epochs = risks("tuned");
        ASSERT_GE(of_epochs.size(), 6U);
        EXPECT_LT(of_epochs.back(), 0.8 * of_epochs.front());
        ASSERT_FALSE(result.state.best.empty());
        EXPECT_GT(result.state.best.front().score, before + 3.0);
        std::filesystem::remove_all(at("begun"));
        std::filesystem::remove_all(at("tuned"));
    }
}

}  // namespace
}  // namespace softalign
