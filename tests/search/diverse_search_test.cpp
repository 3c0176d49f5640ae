#include "search/sentence_beam.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "reference_search.h"
#include "search/search.h"
#include "toy_model.h"

namespace softalign {
namespace {

constexpr std::int64_t bos = 1;
constexpr std::int64_t eos = 0;

struct Batch {
    ToyLanguage language;
    std::vector<std::uint64_t> keys;
    std::vector<SearchTask> tasks;
    mutable std::vector<std::size_t> searched{};  // how many sentences each search had

    std::vector<std::vector<Hypothesis>> search(const SearchOptions& options) const {
        const auto model_of = [this](const std::vector<std::size_t>& numbers) {
            std::vector<std::uint64_t> some;
            for (const std::size_t number : numbers) {
                some.push_back(keys[number]);
            }
            searched.push_back(numbers.size());
            return std::make_unique<ToyModel>(language, some, bos);
        };
        return diverse_search(model_of, tasks, options);
    }
};

Batch random_batch(Random& random) {
    Batch batch;
    batch.language.vocabulary = 2 + static_cast<std::int64_t>(random.below(5));
    batch.language.sharpness = 6.0 * random.uniform();
    for (int i = 0; i < 4; ++i) {
        batch.keys.push_back(random.next());
        batch.tasks.emplace_back();
        batch.tasks.back().max_length = static_cast<std::int64_t>(random.below(6));
        batch.tasks.back().min_length = std::min<std::int64_t>(batch.tasks.back().max_length, i);
    }
    return batch;
}

SearchOptions random_groups(Random& random) {
    SearchOptions options;
    options.groups = 2 + static_cast<std::int64_t>(random.below(3));
    options.beam = options.groups * (1 + static_cast<std::int64_t>(random.below(3)));
    options.n_best = 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(options.beam)));
    options.diversity = random.below(2) == 0 ? 0.0 : random.uniform();
    options.patience = static_cast<double>(random.below(3)) / 2.0;
    options.bos = bos;
    options.eos = eos;
    return options;
}

TEST(DiverseSearch, FindsAsManyAsThereAre) {
    Random random(4);
    int filled = 0;
    for (int trial = 0; trial < 300; ++trial) {
        SCOPED_TRACE(trial);
        const Batch batch = random_batch(random);
        const SearchOptions options = random_groups(random);
        const auto found = batch.search(options);
        for (std::size_t i = 0; i < batch.keys.size(); ++i) {
            const PlainSentence sentence = toy_sentence(batch.language, batch.keys[i], batch.tasks[i]);
            const std::size_t existing = brute_force(sentence, options).size();
            ASSERT_EQ(found[i].size(), std::min(existing, static_cast<std::size_t>(options.n_best)));
            std::set<std::vector<std::int32_t>> different;
            for (const Hypothesis& hypothesis : found[i]) {
                different.insert(hypothesis.ids);
            }
            EXPECT_EQ(different.size(), found[i].size());
            // Those of the groups come first.
            const auto groups = reference_search(sentence, options);
            for (std::size_t n = 0; n < groups.size(); ++n) {
                EXPECT_EQ(found[i][n].ids, groups[n].ids);
            }
            filled += found[i].size() > groups.size() ? 1 : 0;
        }
    }
    EXPECT_GT(filled, 100);
}

TEST(DiverseSearch, WhatFollowsIsTheBestOfABeamWithoutGroups) {
    Batch batch;
    batch.keys = {5, 6, 7};
    batch.tasks.resize(3);
    for (SearchTask& task : batch.tasks) {
        task.max_length = 6;
    }
    SearchOptions options;
    options.beam = 4;
    options.n_best = 4;
    options.groups = 2;
    options.diversity = 0.0;  // twice the same
    options.bos = bos;
    options.eos = eos;
    const auto found = batch.search(options);
    SearchOptions whole = options;
    whole.groups = 1;
    for (std::size_t i = 0; i < 3; ++i) {
        const PlainSentence sentence = toy_sentence(batch.language, batch.keys[i], batch.tasks[i]);
        std::vector<Hypothesis> expected = reference_search(sentence, options);
        EXPECT_LT(expected.size(), 4U);
        add_missing(reference_search(sentence, whole), 4, expected);
        ASSERT_EQ(found[i].size(), expected.size());
        for (std::size_t n = 0; n < expected.size(); ++n) {
            EXPECT_EQ(found[i][n].ids, expected[n].ids);
            EXPECT_DOUBLE_EQ(found[i][n].score, expected[n].score);
        }
    }
    EXPECT_EQ(batch.searched, (std::vector<std::size_t>{3, 3}));
}

TEST(DiverseSearch, SearchesAgainOnlyWhatLacksSome) {
    Batch batch;
    batch.keys = {1, 2, 3};
    batch.tasks.resize(3);
    batch.tasks[0].max_length = 6;
    batch.tasks[2].max_length = 6;  // the second has one output only, the empty one
    SearchOptions options;
    options.beam = 2;
    options.n_best = 2;
    options.groups = 2;
    options.diversity = 50.0;
    options.bos = bos;
    options.eos = eos;
    EXPECT_EQ(batch.search(options)[1].size(), 1U);
    EXPECT_EQ(batch.searched, (std::vector<std::size_t>{3, 1}));
    batch.searched.clear();
    options.groups = 1;
    batch.search(options);
    EXPECT_EQ(batch.searched, std::vector<std::size_t>{3});
}

}  // namespace
}  // namespace softalign
