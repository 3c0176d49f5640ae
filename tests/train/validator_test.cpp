#include "train/validator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "training_test.h"
#include "translate/scorer.h"

namespace softalign {
namespace {

class ValidatorTest : public Training {
protected:
    // The run's validation loss, and what `score` gives the same pairs; nats a token.
    std::pair<double, double> losses(Precision precision) {
        Config run = config("run");
        run.runtime.precision = precision;
        run.validation.translate = false;
        run.validation.metric = Metric::cross_entropy;
        run.model.init.weights = Initializer::normal;
        run.model.init.scale = 0.5;
        const std::string directory = at("run").string();
        const RunData data = load_run_data(run, make_vocabularies(run, directory), directory);
        Seq2Seq model(run.model, data.sizes());
        model.initialize(1);
        WorkerPool pool(2);
        const double validated = Validator(run, data, pool).run(model).cross_entropy;
        std::vector<SentencePair> pairs;
        for (std::size_t i = 0; i < data.valid_sources.size(); ++i) {
            pairs.push_back({data.valid_sources[i], data.valid_references[i]});
        }
        ScoreOptions options;
        options.precision = precision;
        double log_prob = 0.0;
        double tokens = 0.0;
        for (const PairScore& score :
             Scorer(model, *data.tokenizers.source, *data.tokenizers.target, options).score(pairs)) {
            log_prob += score.log_prob;
            tokens += static_cast<double>(score.ids.size());
        }
        return {validated, -log_prob / tokens};
    }
};

TEST_F(ValidatorTest, TheLossHasThePrecisionOfTheRun) {
    std::filesystem::create_directories(at("run"));
    const auto [validated, scored] = losses(Precision::float32);
    const auto [rounded_validated, rounded_scored] = losses(Precision::bfloat16);
    EXPECT_NEAR(validated, scored, 1e-6);
    const double rounding = std::abs(rounded_scored - scored);
    EXPECT_GT(rounding, 1e-5);
    EXPECT_LT(std::abs(rounded_validated - rounded_scored), 0.1 * rounding);
}

}  // namespace
}  // namespace softalign
