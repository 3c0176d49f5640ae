#include "search/sentence_sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "search/search.h"
#include "toy_model.h"

namespace softalign {
namespace {

constexpr std::int64_t bos = 1;
constexpr std::int64_t eos = 0;

SearchOptions drawing(std::int64_t outputs) {
    SearchOptions options;
    options.n_best = outputs;
    options.bos = bos;
    options.eos = eos;
    options.sampling = true;
    return options;
}

std::vector<float> normalised(std::vector<double> weights) {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<float> log_probs;
    for (const double weight : weights) {
        log_probs.push_back(static_cast<float>(std::log(weight / sum)));
    }
    return log_probs;
}

// The share of evenly spread numbers that draw each token.
std::vector<double> shares(const SearchConfig& options, const std::vector<float>& log_probs) {
    constexpr int draws = 100000;
    std::vector<double> result(log_probs.size());
    for (int i = 0; i < draws; ++i) {
        const double uniform = (i + 0.5) / draws;
        const std::int32_t token =
            draw_token(options, log_probs.data(), static_cast<std::int64_t>(log_probs.size()), uniform);
        result.at(static_cast<std::size_t>(token)) += 1.0 / draws;
    }
    return result;
}

void expect_shares(const SearchConfig& options, const std::vector<float>& log_probs,
                   const std::vector<double>& expected) {
    const std::vector<double> actual = shares(options, log_probs);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(actual[i], expected[i], 2e-5) << "token " << i;
    }
}

TEST(DrawToken, FollowsTheProbabilities) {
    expect_shares({}, normalised({1, 2, 3, 4}), {0.1, 0.2, 0.3, 0.4});
}

TEST(DrawToken, TemperatureIsAnExponent) {
    SearchConfig options;
    options.temperature = 0.5;
    expect_shares(options, normalised({1, 2, 3, 4}), {1.0 / 30, 4.0 / 30, 9.0 / 30, 16.0 / 30});
    options.temperature = 2.0;
    const double sum = 1 + 2 + 3;
    expect_shares(options, normalised({1, 4, 9}), {1 / sum, 2 / sum, 3 / sum});
}

TEST(DrawToken, TopKLeavesTheMostProbable) {
    SearchConfig options;
    options.top_k = 2;
    expect_shares(options, normalised({1, 3, 2, 4}), {0, 3.0 / 7, 0, 4.0 / 7});
    options.top_k = 1;
    expect_shares(options, normalised({2, 2, 1}), {1, 0, 0});  // of equal ones the smaller id
    options.top_k = 9;
    expect_shares(options, normalised({1, 3}), {0.25, 0.75});
}

TEST(DrawToken, TopPLeavesTheFewestThatHoldIt) {
    SearchConfig options;
    options.top_p = 0.65;
    expect_shares(options, normalised({1, 3, 2, 4}), {0, 3.0 / 7, 0, 4.0 / 7});
    options.top_p = 0.75;
    expect_shares(options, normalised({1, 3, 2, 4}), {0, 3.0 / 9, 2.0 / 9, 4.0 / 9});
    options.top_p = 1e-9;
    expect_shares(options, normalised({1, 3, 2, 4}), {0, 0, 0, 1});
    // Of what top_k left.
    options.top_k = 2;
    options.top_p = 0.6;
    expect_shares(options, normalised({1, 3, 2, 4}), {0, 3.0 / 7, 0, 4.0 / 7});
}

TEST(DrawToken, ImpossibleTokensAreNotDrawn) {
    const float never = -std::numeric_limits<float>::infinity();
    const std::vector<float> log_probs = {never, -1.0F, never, -1.0F, never};
    expect_shares({}, log_probs, {0, 0.5, 0, 0.5, 0});
    const std::vector<float> none = {never, never};
    EXPECT_EQ(draw_token({}, none.data(), 2, 0.3), -1);
}

TEST(Sampling, OutputsComeAsOftenAsTheyAreProbable) {
    ToyLanguage language;
    language.vocabulary = 3;
    std::vector<SearchTask> tasks(20);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        tasks[i].max_length = 2;
        tasks[i].key = i;
    }
    ToyModel model(language, std::vector<std::uint64_t>(tasks.size(), 4), bos);  // of the same sentence
    constexpr std::int64_t outputs = 20000;
    std::map<std::vector<std::int32_t>, std::int64_t> counts;
    std::int64_t drawn = 0;
    for (const auto& found : search(model, tasks, drawing(1000))) {
        for (const Hypothesis& hypothesis : found) {
            ++counts[hypothesis.ids];
            ++drawn;
        }
    }
    ASSERT_EQ(drawn, outputs);
    for (const auto& [ids, count] : counts) {
        // At the greatest length the end is forced, so it is not drawn.
        double log_prob = 0.0;
        std::vector<std::int32_t> prefix;
        for (std::size_t t = 0; t <= ids.size() && t < 2; ++t) {
            const std::int32_t token = t < ids.size() ? ids[t] : eos;
            log_prob += language.log_probs(4, prefix)[static_cast<std::size_t>(token)];
            prefix.push_back(token);
        }
        const double expected = std::exp(log_prob);
        // Four standard deviations; the draws are always the same ones.
        EXPECT_NEAR(static_cast<double>(count) / outputs, expected,
                    4.0 * std::sqrt(expected * (1.0 - expected) / outputs));
    }
    EXPECT_EQ(counts.size(), 7U);  // all there are
}

TEST(Sampling, LogProbsAreTheModelsOwn) {
    const ToyLanguage language;
    ToyModel model(language, {6}, bos);
    SearchTask task;
    task.max_length = 9;
    SearchOptions options = drawing(20);
    options.temperature = 0.3;
    options.top_k = 3;
    options.length_alpha = 0.5;
    const auto found = search(model, {task}, options).front();
    for (const Hypothesis& hypothesis : found) {
        double sum = 0.0;
        std::vector<std::int32_t> prefix;
        for (std::size_t t = 0; t <= hypothesis.ids.size(); ++t) {
            const std::int32_t token = t < hypothesis.ids.size() ? hypothesis.ids[t] : eos;
            EXPECT_EQ(hypothesis.token_log_probs[t], language.log_probs(6, prefix)[static_cast<std::size_t>(token)]);
            sum += hypothesis.token_log_probs[t];
            prefix.push_back(token);
        }
        EXPECT_DOUBLE_EQ(hypothesis.log_prob, sum);
        EXPECT_DOUBLE_EQ(hypothesis.score, sum / std::sqrt(hypothesis.ids.size() + 1.0));
    }
}

std::vector<std::vector<std::int32_t>> draw_ids(const std::vector<std::uint64_t>& keys, std::uint64_t seed,
                                                std::size_t sentence) {
    const ToyLanguage language;
    ToyModel model(language, keys, bos);
    std::vector<SearchTask> tasks(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        tasks[i].max_length = 8;
        tasks[i].key = keys[i];
    }
    SearchOptions options = drawing(5);
    options.seed = seed;
    std::vector<std::vector<std::int32_t>> ids;
    const auto found = search(model, tasks, options)[sentence];
    for (const Hypothesis& hypothesis : found) {
        ids.push_back(hypothesis.ids);
    }
    return ids;
}

TEST(Sampling, DependsOnSeedAndSentenceAlone) {
    const auto alone = draw_ids({31}, 1, 0);
    EXPECT_EQ(draw_ids({30, 31, 32}, 1, 1), alone);
    EXPECT_EQ(draw_ids({31}, 1, 0), alone);
    EXPECT_NE(draw_ids({31}, 2, 0), alone);
    EXPECT_NE(draw_ids({30, 31}, 1, 0), alone);
}

TEST(Sampling, KeepsToTheRules) {
    ToyLanguage language;
    language.vocabulary = 6;
    ToyModel model(language, {77}, bos);
    SearchTask task;
    task.min_length = 3;
    task.max_length = 5;
    task.prefix.nodes = {{{2, 1}, {3, 1}}, {}};
    SearchOptions options = drawing(200);
    options.unk = 5;
    const auto found = search(model, {task}, options).front();
    for (const Hypothesis& hypothesis : found) {
        ASSERT_GE(hypothesis.ids.size(), 3U);
        EXPECT_LE(hypothesis.ids.size(), 5U);
        EXPECT_TRUE(hypothesis.ids[0] == 2 || hypothesis.ids[0] == 3);
        EXPECT_EQ(std::count(hypothesis.ids.begin(), hypothesis.ids.end(), 5), 0);
    }
}

}  // namespace
}  // namespace softalign
