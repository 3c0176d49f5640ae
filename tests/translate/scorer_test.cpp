#include "translate/scorer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "data/corpus.h"
#include "ops/plain_execution.h"
#include "toy_translator.h"

namespace softalign {
namespace {

std::vector<PairScore> score(const ToyTranslator& toy, const std::vector<SentencePair>& pairs,
                             const ScoreOptions& options = {}) {
    return Scorer(*toy.model, toy.source, toy.target, options).score(pairs);
}

// Pairs of unequal lengths, empty sides among them.
std::vector<SentencePair> random_pairs(std::size_t count, std::uint64_t seed) {
    const std::vector<std::string> sources = random_sentences(count, seed);
    const std::vector<std::string> targets = random_sentences(count, seed + 1);
    std::vector<SentencePair> pairs;
    for (std::size_t i = 0; i < count; ++i) {
        pairs.push_back({sources[i], targets[i]});
    }
    pairs[1].target = "";
    pairs[2].source = " \t ";
    pairs[3] = {"", " "};
    return pairs;
}

TEST(Scorer, TheSumOfAllIsTheLossOfTheModel) {
    const ToyTranslator toy;
    const std::vector<SentencePair> pairs = random_pairs(9, 5);
    const std::vector<PairScore> scores = score(toy, pairs);
    ASSERT_EQ(scores.size(), pairs.size());
    std::vector<Example> examples;
    for (const SentencePair& pair : pairs) {
        examples.push_back({0, toy.source.encode(pair.source), toy.target.encode(pair.target)});
    }
    double total = 0.0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const Batch batch = make_batch({examples[i]}, special_ids(toy.source, toy.target));
        const Loss loss = toy.model->loss(to_tensors(batch, at::kCPU), 0.0, plain_execution);
        EXPECT_NEAR(scores[i].log_prob, -loss.negative_log_prob.item<double>(), 1e-4);
        EXPECT_EQ(static_cast<std::int64_t>(scores[i].ids.size()), loss.tokens);
        EXPECT_EQ(scores[i].ids.back(), toy.target.special().eos);
        ASSERT_EQ(scores[i].token_log_probs.size(), scores[i].ids.size());
        EXPECT_DOUBLE_EQ(std::accumulate(scores[i].token_log_probs.begin(), scores[i].token_log_probs.end(), 0.0),
                         scores[i].log_prob);
        total += scores[i].log_prob;
    }
    EXPECT_LT(total, 0.0);
    EXPECT_EQ(scores[1].ids, std::vector<std::int32_t>{3});
    EXPECT_EQ(scores[3].ids, std::vector<std::int32_t>{3});
}

TEST(Scorer, GivesWhatTheSearchGivesItsOwnOutput) {
    for (const AttentionType attention : {AttentionType::additive, AttentionType::none}) {
        ToyTranslator toy(attention);
        const std::vector<std::string> sentences = random_sentences(25, 9);
        const auto translations = toy.translate(sentences);
        std::vector<SentencePair> pairs;
        std::vector<const Translation*> expected;
        for (std::size_t i = 0; i < sentences.size(); ++i) {
            for (const Translation& translation : translations[i]) {
                if (toy.target.encode(translation.text) == translation.ids) {  // no special pieces in it
                    pairs.push_back({sentences[i], translation.text});
                    expected.push_back(&translation);
                }
            }
        }
        ASSERT_GT(pairs.size(), 10U);
        const std::vector<PairScore> scores = score(toy, pairs);
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            EXPECT_NEAR(scores[i].log_prob, expected[i]->log_prob, 1e-4);
        }
    }
}

TEST(Scorer, BatchesOrderAndWorkersChangeNothing) {
    const ToyTranslator toy;
    const std::vector<SentencePair> pairs = random_pairs(40, 13);
    const std::vector<PairScore> expected = score(toy, pairs);
    const std::vector<SentencePair> backwards(pairs.rbegin(), pairs.rend());
    ScoreOptions options;
    options.batch_size = 3;
    options.workers = 3;
    const std::vector<PairScore> actual = score(toy, backwards, options);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const PairScore& other = actual[pairs.size() - 1 - i];
        EXPECT_EQ(other.ids, expected[i].ids);
        EXPECT_NEAR(other.log_prob, expected[i].log_prob, 1e-4);
    }
    EXPECT_TRUE(score(toy, {}).empty());
}

// What bfloat16 does to a translation's probability is the same where it is searched and where it is scored.
TEST(Scorer, HasThePrecisionOfTheSearch) {
    ToyTranslator toy;
    const std::vector<std::string> sentences = random_sentences(25, 9);
    toy.options.precision = Precision::bfloat16;
    toy.options.search.beam = 1;  // wider beams project the annotations, not the contexts, and round other numbers
    toy.options.search.n_best = 1;
    std::vector<SentencePair> pairs;
    std::vector<double> expected;
    for (const std::vector<Translation>& found : toy.translate(sentences)) {
        if (toy.target.encode(found.front().text) == found.front().ids) {  // no special pieces in it
            pairs.push_back({found.front().source, found.front().text});
            expected.push_back(found.front().log_prob);
        }
    }
    ASSERT_GT(pairs.size(), 10U);
    ScoreOptions options;
    const auto difference = [&] {
        const std::vector<PairScore> scores = score(toy, pairs, options);
        double sum = 0.0;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            sum += std::abs(scores[i].log_prob - expected[i]);
        }
        return sum;
    };
    const double in_float = difference();
    options.precision = Precision::bfloat16;
    EXPECT_LT(difference(), 0.1 * in_float);
}

TEST(Scorer, DamagedWeightsAreAnError) {
    const ToyTranslator toy;
    {
        const at::NoGradGuard no_gradients;
        toy.model->parameters().back().fill_(std::numeric_limits<float>::quiet_NaN());
    }
    ScoreOptions options;
    options.workers = 2;
    try {
        score(toy, random_pairs(9, 2), options);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::numerical);
    }
}

TEST(Scorer, OptionsOutOfRangeAreErrors) {
    const ToyTranslator toy;
    for (const ScoreOptions& options : {ScoreOptions{0, 1}, ScoreOptions{1, 0}}) {
        try {
            score(toy, {}, options);
            FAIL() << "no error";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::configuration);
        }
    }
}

}  // namespace
}  // namespace softalign
