#include "model/minimum_risk.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fixtures.h"
#include "ops/execution.h"
#include "ops/plain_execution.h"

namespace softalign {
namespace {

TEST(ExpectedRiskOfCandidates, IsTheEquation) {
    const std::vector<double> log_probs{-1.0, -3.0, -2.0};
    const std::vector<double> risks{0.25, 1.0, 0.5};
    const double a = std::exp(-0.5);
    const double b = std::exp(-1.5);
    const double c = std::exp(-1.0);
    const double risk = (a * 0.25 + b + c * 0.5) / (a + b + c);
    const ExpectedRisk expected = expected_risk(log_probs, risks, 0.5);
    EXPECT_NEAR(expected.risk, risk, 1e-15);
    EXPECT_NEAR(expected.gradient[0], 0.5 * a / (a + b + c) * (0.25 - risk), 1e-15);
    EXPECT_NEAR(expected.gradient[1], 0.5 * b / (a + b + c) * (1.0 - risk), 1e-15);
    EXPECT_NEAR(expected.gradient[2], 0.5 * c / (a + b + c) * (0.5 - risk), 1e-15);
}

TEST(ExpectedRiskOfCandidates, ItsGradientMatchesDifferences) {
    const std::vector<double> log_probs{-40.0, -33.0, -45.5, -38.0};
    const std::vector<double> risks{0.9, 0.3, 0.0, 0.7};
    for (const double alpha : {0.005, 0.3, 1.0}) {
        const ExpectedRisk expected = expected_risk(log_probs, risks, alpha);
        for (std::size_t i = 0; i < log_probs.size(); ++i) {
            std::vector<double> more = log_probs;
            std::vector<double> less = log_probs;
            more[i] += 1e-5;
            less[i] -= 1e-5;
            const double slope =
                (expected_risk(more, risks, alpha).risk - expected_risk(less, risks, alpha).risk) / 2e-5;
            EXPECT_NEAR(expected.gradient[i], slope, 1e-10) << alpha << " " << i;
        }
    }
}

TEST(ExpectedRiskOfCandidates, HoldsAtTheEnds) {
    EXPECT_EQ(expected_risk({}, {}, 1.0).risk, 0.0);
    const ExpectedRisk one = expected_risk({-2000.0}, {0.75}, 1.0);
    EXPECT_EQ(one.risk, 0.75);
    EXPECT_EQ(one.gradient.front(), 0.0);
    const ExpectedRisk far = expected_risk({-1e6, -2e6}, {0.5, 1.0}, 1.0);
    EXPECT_EQ(far.risk, 0.5);
    EXPECT_TRUE(std::isnan(expected_risk({std::nan(""), -1.0}, {0.5, 1.0}, 1.0).risk));
}

// Candidates of sample_pairs: of each sentence the reference first; of the last one nothing else.
struct Candidates {
    std::vector<std::vector<std::vector<std::int64_t>>> of_sentence;
    std::vector<double> risks{0.0, 0.5, 0.9, 0.0, 1.0, 0.1, 0.3, 0.6, 0.0, 0.2, 0.0};
};

Candidates sample_candidates() {
    const std::vector<Pair> pairs = sample_pairs();
    return {{{pairs[0].target, {4}, {8, 7, 6, 5}},
             {pairs[1].target, {}, {5, 5}, {4, 6, 8, 4, 6, 8}, {7}},
             {pairs[2].target, {6, 6, 6}},
             {pairs[3].target}}};
}

CandidateBatch batch_of(const Candidates& candidates, std::int64_t extra = 0) {
    const std::vector<Pair> pairs = sample_pairs();
    std::vector<Pair> rows;
    std::vector<std::int64_t> source_rows;
    CandidateBatch batch;
    for (std::size_t sentence = 0; sentence < pairs.size(); ++sentence) {
        for (const std::vector<std::int64_t>& target : candidates.of_sentence[sentence]) {
            rows.push_back({{4}, target});
            source_rows.push_back(static_cast<std::int64_t>(sentence));
        }
        batch.counts.push_back(static_cast<std::int64_t>(candidates.of_sentence[sentence].size()));
    }
    batch.translations = make_tensors(rows, extra);
    batch.translations.source = make_tensors(pairs, extra).source;
    batch.translations.source_rows = at::tensor(source_rows, at::kLong);
    batch.risks = candidates.risks;
    return batch;
}

// The log-probability of one translation, alone.
double log_prob(const Seq2Seq& model, const Pair& pair) {
    return model.token_log_probs(make_tensors({pair}), plain_execution).sum().item<double>();
}

// Calls f(model) for every third variant of every kind.
template <typename Function>
void for_some_of_each_kind(Function f) {
    std::uint64_t seed = 51;
    for (const VariantGroup& group : variant_groups()) {
        for (std::size_t i = 0; i < group.variants.size(); i += 3) {
            SCOPED_TRACE(group.name + " " + group.variants[i].name);
            f(*random_model(group.variants[i].config, seed++));
        }
    }
}

TEST(MinimumRisk, TheObjectiveIsTheExpectedRiskOfTheModelsOwnProbabilities) {
    const Candidates candidates = sample_candidates();
    const std::vector<Pair> pairs = sample_pairs();
    for_some_of_each_kind([&](Seq2Seq& model) {
        const at::NoGradGuard no_grad;
        for (const bool with_reference : {true, false}) {
            const MinimumRiskConfig config{5, 0.3, RiskMetric::bleu, with_reference, 0.25};
            double risk = 0.0;
            double negative_log_prob = 0.0;
            std::size_t row = 0;
            for (std::size_t sentence = 0; sentence < pairs.size(); ++sentence) {
                std::vector<double> log_probs;
                std::vector<double> risks;
                for (const auto& target : candidates.of_sentence[sentence]) {
                    const bool is_reference = &target == &candidates.of_sentence[sentence].front();
                    const double value = log_prob(model, {pairs[sentence].source, target});
                    negative_log_prob -= is_reference ? value : 0.0;
                    if (with_reference || !is_reference) {
                        log_probs.push_back(value);
                        risks.push_back(candidates.risks[row]);
                    }
                    ++row;
                }
                risk += expected_risk(log_probs, risks, config.alpha).risk;
            }
            const double entropy = model.loss(make_tensors(pairs), 0.1, plain_execution).objective.item<double>();
            for (const std::int64_t extra : {0, 2}) {
                const Loss loss = model.risk_loss(batch_of(candidates, extra), config, 0.1, plain_execution);
                EXPECT_NEAR(loss.risk, risk, 1e-9);
                EXPECT_NEAR(loss.objective.item<double>(), risk + 0.25 * entropy, 1e-8);
                EXPECT_NEAR(loss.negative_log_prob.item<double>(), negative_log_prob, 1e-8);
                EXPECT_EQ(loss.tokens, model.loss(make_tensors(pairs), 0.0, plain_execution).tokens);
                EXPECT_EQ(loss.sentences, 4);
            }
        }
    });
}

TEST(MinimumRisk, TheGradientMatchesDifferences) {
    const CandidateBatch batch = batch_of(sample_candidates());
    std::size_t models = 0;
    for_some_of_each_kind([&](Seq2Seq& model) {
        const bool even = models++ % 2 == 0;
        const MinimumRiskConfig config{5, 0.3, RiskMetric::bleu, even, even ? 0.0 : 0.1};
        const auto objective = [&] { return model.risk_loss(batch, config, 0.1, plain_execution).objective; };
        std::string worst;
        EXPECT_LE(directional_error(objective, model, &worst), 5e-7) << worst;
    });
    EXPECT_GT(models, 60U);
}

TEST(MinimumRisk, TheGradientMatchesDifferencesWithDropout) {
    const CandidateBatch batch = batch_of(sample_candidates());
    for (const DecoderType decoder : {DecoderType::recurrent, DecoderType::transformer}) {
        ModelConfig config = variant_groups().front().variants.front().config;
        config.decoder.type = decoder;
        config.transformer.heads = 1;
        config.dropout.context = 0.3;
        config.dropout.output = 0.4;
        config.dropout.target_words = 0.2;
        const auto model = random_model(config, 7);
        const auto objective = [&] {
            Noise noise(3);
            return model->risk_loss(batch, {5, 0.5, RiskMetric::bleu, true, 0.0}, 0.0, Execution(nullptr, &noise))
                .objective;
        };
        std::string worst;
        EXPECT_LE(directional_error(objective, *model, &worst), 5e-7) << worst;
    }
}

}  // namespace
}  // namespace softalign
