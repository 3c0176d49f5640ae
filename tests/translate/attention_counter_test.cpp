#include "translate/attention_counter.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "text/fixtures.h"
#include "toy_translator.h"

namespace softalign {
namespace {

// The cells of a count by hand, and how often each target piece was seen.
struct Expected {
    std::map<std::pair<std::int32_t, std::int32_t>, double> parts;
    std::map<std::int32_t, double> totals;
    std::map<std::int32_t, int> seen;
};

// Translations of the model's own with the attention that the search saw, as pairs and as counts.
Expected from_search(const ToyTranslator& toy, std::vector<SentencePair>& pairs) {
    Expected expected;
    for (const std::vector<Translation>& found : toy.translate(random_sentences(25, 17))) {
        const Translation& translation = found.front();
        if (translation.ids.empty() || toy.target.encode(translation.text) != translation.ids) {
            continue;  // what has special pieces is read in another way than it was written
        }
        pairs.push_back({translation.source, translation.text});
        for (std::size_t t = 0; t < translation.ids.size(); ++t) {
            ++expected.seen[translation.ids[t]];
            for (std::size_t s = 0; s < translation.source_ids.size(); ++s) {
                const double part = translation.attention[t][s];
                if (part >= AttentionCounter::least_weight) {
                    expected.parts[{translation.source_ids[s], translation.ids[t]}] += part;
                    expected.totals[translation.source_ids[s]] += part;
                }
            }
        }
    }
    return expected;
}

ToyTranslator toy_of(bool reverse_target) {
    ToyTranslator toy;
    toy.options.keep_attention = true;
    if (reverse_target) {
        ModelConfig config = toy.model->config();
        config.decoder.reverse_target = true;
        toy.model = std::make_shared<Seq2Seq>(config, toy.model->sizes());
        toy.model->initialize(3);
    }
    return toy;
}

TEST(AttentionCounter, CountsWhatTheSearchAttendsTo) {
    for (const bool reverse_target : {false, true}) {
        const ToyTranslator toy = toy_of(reverse_target);
        std::vector<SentencePair> pairs;
        const Expected expected = from_search(toy, pairs);
        ASSERT_GT(pairs.size(), 5U);
        AttentionCounter counter(*toy.model, toy.source, toy.target, {3, 2});
        counter.add(pairs);
        EXPECT_EQ(counter.pairs(), static_cast<std::int64_t>(pairs.size()));
        ASSERT_GT(expected.totals.count(toy.source.special().eos), 0U);
        std::size_t cells = 0;
        for (std::int32_t source = 0; source < toy.source.size(); ++source) {
            cells += counter.counts().best(source, 1000).size();
        }
        EXPECT_EQ(cells, expected.parts.size());
        for (const auto& [cell, part] : expected.parts) {
            EXPECT_NEAR(counter.counts().probability(cell.first, cell.second), part / expected.totals.at(cell.first),
                        1e-4);
        }
        const auto frequent = counter.counts().most_frequent(1000);
        EXPECT_EQ(frequent.size(), expected.seen.size());
        for (std::size_t i = 1; i < frequent.size(); ++i) {
            EXPECT_GE(expected.seen.at(frequent[i - 1]), expected.seen.at(frequent[i]));
        }
    }
}

std::vector<SentencePair> random_pairs(std::size_t count) {
    const std::vector<std::string> sources = random_sentences(count, 5);
    const std::vector<std::string> targets = random_sentences(count, 6);
    std::vector<SentencePair> pairs;
    for (std::size_t i = 0; i < count; ++i) {
        pairs.push_back({sources[i], targets[i]});
    }
    return pairs;
}

TEST(AttentionCounter, WorkersChangeNothing) {
    const ToyTranslator toy;
    const std::vector<SentencePair> pairs = random_pairs(40);
    AttentionCounter one(*toy.model, toy.source, toy.target, {4, 1});
    AttentionCounter three(*toy.model, toy.source, toy.target, {4, 3});
    one.add(pairs);
    three.add(pairs);
    EXPECT_EQ(one.counts().most_frequent(100), three.counts().most_frequent(100));
    for (std::int32_t source = 0; source < toy.source.size(); ++source) {
        const auto expected = one.counts().best(source, 1000);
        const auto actual = three.counts().best(source, 1000);
        ASSERT_EQ(actual.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_EQ(actual[i].target, expected[i].target);
            EXPECT_EQ(actual[i].probability, expected[i].probability);
        }
    }
}

TEST(AttentionCounter, PairsMayComeInParts) {
    const ToyTranslator toy;
    const std::vector<SentencePair> pairs = random_pairs(20);
    AttentionCounter whole(*toy.model, toy.source, toy.target, {8, 1});
    AttentionCounter parts(*toy.model, toy.source, toy.target, {8, 1});
    whole.add(pairs);
    parts.add({pairs.begin(), pairs.begin() + 7});
    parts.add({});
    parts.add({pairs.begin() + 7, pairs.end()});
    EXPECT_EQ(whole.pairs(), parts.pairs());
    for (std::int32_t target = 4; target < toy.target.size(); ++target) {
        EXPECT_NEAR(whole.counts().probability(7, target), parts.counts().probability(7, target), 1e-4);
    }
}

TEST(AttentionCounter, LeavesOutWhatSaysNothing) {
    const ToyTranslator toy;
    AttentionCounter counter(*toy.model, toy.source, toy.target, {4, 1});
    counter.limit_lengths(3, 2);
    counter.add({{"5 6 7", "8 9"}, {"5 6 7 8", "9"}, {"5", "6 7 8"}, {"", "9"}, {"5", " \t"}, {"10", "unknown 4"}});
    EXPECT_EQ(counter.pairs(), 2);
    EXPECT_EQ(counter.left_out(), 2);
    EXPECT_EQ(counter.counts().probability(8, 9), 0.0);
    EXPECT_EQ(counter.counts().probability(10, toy.target.special().unk), 0.0);
    EXPECT_EQ(counter.counts().best(10, 9).size(), 1U);
    EXPECT_EQ(counter.counts().probability(10, 4), 1.0);
}

TEST(AttentionCounter, NeedsAttentionAndSense) {
    const ToyTranslator blind(AttentionType::none);
    EXPECT_EQ(error_of(ExitCode::model,
                       [&] {
                           AttentionCounter counter(*blind.model, blind.source, blind.target, {4, 1});
                       }),
              "the model has no attention, from which a shortlist is made; use a model with attention and the same "
              "vocabularies");
    const ToyTranslator toy;
    for (const ScoreOptions& options : {ScoreOptions{0, 1}, ScoreOptions{1, 0}}) {
        error_of(ExitCode::configuration,
                 [&] { AttentionCounter counter(*toy.model, toy.source, toy.target, options); });
    }
    {
        const at::NoGradGuard no_gradients;
        toy.model->named_parameters()["source_embedding"].fill_(std::numeric_limits<float>::quiet_NaN());
    }
    AttentionCounter counter(*toy.model, toy.source, toy.target, {4, 2});
    EXPECT_NE(error_of(ExitCode::numerical, [&] { counter.add(random_pairs(9)); }).find("not a number"),
              std::string::npos);
}

}  // namespace
}  // namespace softalign
