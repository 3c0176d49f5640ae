#include "data/batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "data/fixtures.h"

namespace softalign {
namespace {

using Ids = std::vector<std::int64_t>;

const SpecialIdPair special{/*source_pad=*/0, /*source_eos=*/3, /*target_pad=*/9, /*target_bos=*/2, /*target_eos=*/4};

Batch random_batch(std::int64_t size, std::uint64_t seed) {
    const RandomCorpus corpus(size, seed);
    std::vector<Example> examples;
    for (std::int64_t i = 0; i < size; ++i) {
        examples.push_back(corpus.example(i, 0));
    }
    return make_batch(examples, special);
}

TEST(MakeBatch, PadsToTheLongestRow) {
    const Example first{7, {10, 11, 12}, {20}};
    const Example second{5, {13}, {21, 22}};
    const Batch batch = make_batch({first, second}, special);
    EXPECT_EQ(batch.sentences, 2);
    EXPECT_EQ(batch.source_width, 4);
    EXPECT_EQ(batch.target_width, 3);
    EXPECT_EQ(batch.source, Ids({10, 11, 12, 3, 13, 3, 0, 0}));
    EXPECT_EQ(batch.target_in, Ids({2, 20, 9, 2, 21, 22}));
    EXPECT_EQ(batch.target_out, Ids({20, 4, 9, 21, 22, 4}));
    EXPECT_EQ(batch.source_lengths, Ids({4, 2}));
    EXPECT_EQ(batch.target_lengths, Ids({2, 3}));
    EXPECT_EQ(batch.ids, Ids({7, 5}));
    EXPECT_EQ(batch.source_tokens(), 6);
    EXPECT_EQ(batch.target_tokens(), 5);
}

TEST(MakeBatch, TakesEmptySidesAndNoExamples) {
    const Example empty{1, {}, {}};
    const Batch batch = make_batch({empty}, special);
    EXPECT_EQ(batch.source, Ids({3}));
    EXPECT_EQ(batch.target_in, Ids({2}));
    EXPECT_EQ(batch.target_out, Ids({4}));
    EXPECT_EQ(make_batch({}, special).sentences, 0);
    EXPECT_TRUE(cut_batch(make_batch({}, special), 2, special).empty());
}

// Every row arrives whole, in its place, in a part as wide as its own longest rows.
TEST(CutBatch, KeepsEveryRow) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Batch batch = random_batch(1 + static_cast<std::int64_t>(seed) * 3, seed);
        for (const std::int64_t count : {1, 2, 3, 8, 1000}) {
            const auto parts = cut_batch(batch, count, special);
            EXPECT_GE(parts.size(), 1U);
            EXPECT_LE(static_cast<std::int64_t>(parts.size()), std::min(count, batch.sentences));
            std::size_t row = 0;
            for (const Batch& part : parts) {
                ASSERT_GT(part.sentences, 0);
                EXPECT_EQ(part.source_width, *std::max_element(part.source_lengths.begin(), part.source_lengths.end()));
                EXPECT_EQ(part.target_width, *std::max_element(part.target_lengths.begin(), part.target_lengths.end()));
                for (std::int64_t b = 0; b < part.sentences; ++b, ++row) {
                    EXPECT_EQ(part.ids[static_cast<std::size_t>(b)], batch.ids[row]);
                    const auto whole_row = static_cast<std::int64_t>(row);
                    for (std::int64_t i = 0; i < part.source_width; ++i) {
                        EXPECT_EQ(part.source[static_cast<std::size_t>(b * part.source_width + i)],
                                  batch.source[static_cast<std::size_t>(whole_row * batch.source_width + i)]);
                    }
                    for (std::int64_t i = 0; i < part.target_width; ++i) {
                        const auto at = static_cast<std::size_t>(b * part.target_width + i);
                        const auto from = static_cast<std::size_t>(whole_row * batch.target_width + i);
                        EXPECT_EQ(part.target_in[at], batch.target_in[from]);
                        EXPECT_EQ(part.target_out[at], batch.target_out[from]);
                    }
                }
            }
            EXPECT_EQ(row, static_cast<std::size_t>(batch.sentences));
        }
    }
}

TEST(CutBatch, GivesTheWholeAsOnePart) {
    const Batch batch = random_batch(10, 3);
    const auto parts = cut_batch(batch, 1, special);
    ASSERT_EQ(parts.size(), 1U);
    EXPECT_EQ(parts[0].source, batch.source);
    EXPECT_EQ(parts[0].target_in, batch.target_in);
    EXPECT_EQ(parts[0].target_out, batch.target_out);
    EXPECT_EQ(parts[0].target_lengths, batch.target_lengths);
}

// Grids of 2 x 1, 1 x 1 and 1 x 3 positions with two numbers each, which count up from 1.
std::vector<Example> feature_examples() {
    std::vector<Example> examples;
    float next = 1.0F;
    for (const Grid& grid : {Grid{2, 1}, Grid{1, 1}, Grid{1, 3}}) {
        Example example{static_cast<std::int64_t>(examples.size()), {}, {20}};
        example.features = {grid, 2, std::vector<float>(static_cast<std::size_t>(grid.positions() * 2))};
        for (float& value : example.features.values) {
            value = next++;
        }
        examples.push_back(example);
    }
    return examples;
}

TEST(MakeBatch, PadsFeaturesAfterThePositionsOfTheirGrids) {
    const Batch batch = make_batch(feature_examples(), special);
    EXPECT_EQ(batch.depth, 2);
    EXPECT_EQ(batch.source_width, 3);
    EXPECT_EQ(batch.source_lengths, Ids({2, 1, 3}));
    EXPECT_EQ(batch.grids, (std::vector<Grid>{{2, 1}, {1, 1}, {1, 3}}));
    EXPECT_EQ(batch.features, (std::vector<float>{1, 2, 3, 4, 0, 0, 5, 6, 0, 0, 0, 0, 7, 8, 9, 10, 11, 12}));
    EXPECT_TRUE(batch.source.empty());
    EXPECT_EQ(batch.target_out, Ids({20, 4, 20, 4, 20, 4}));
    EXPECT_EQ(batch.source_tokens(), 6);
}

TEST(CutBatch, KeepsFeaturesAndGridsOfEveryRow) {
    const Batch batch = make_batch(feature_examples(), special);
    const auto parts = cut_batch(batch, 3, special);
    ASSERT_EQ(parts.size(), 3U);
    EXPECT_EQ(parts[0].features, (std::vector<float>{1, 2, 3, 4}));
    EXPECT_EQ(parts[1].features, (std::vector<float>{5, 6}));
    EXPECT_EQ(parts[1].source_width, 1);
    EXPECT_EQ(parts[2].features, (std::vector<float>{7, 8, 9, 10, 11, 12}));
    EXPECT_EQ(parts[2].grids, (std::vector<Grid>{{1, 3}}));
    EXPECT_EQ(parts[2].depth, 2);
    EXPECT_TRUE(parts[2].source.empty());
}

// Against all ways to cut a batch in two: none has a dearer part that is cheaper. A target word counts as three.
TEST(CutBatch, BalancesTheWork) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Batch batch = random_batch(12, seed);
        const auto cost = [&](std::int64_t begin, std::int64_t end) {
            std::int64_t sum = 0;
            for (std::int64_t row = begin; row < end; ++row) {
                sum += batch.source_lengths[static_cast<std::size_t>(row)] +
                       3 * batch.target_lengths[static_cast<std::size_t>(row)];
            }
            return sum;
        };
        std::int64_t best = cost(0, batch.sentences);
        for (std::int64_t cut = 1; cut < batch.sentences; ++cut) {
            best = std::min(best, std::max(cost(0, cut), cost(cut, batch.sentences)));
        }
        std::int64_t dearest = 0;
        for (const Batch& part : cut_batch(batch, 2, special)) {
            dearest = std::max(dearest, part.source_tokens() + 3 * part.target_tokens());
        }
        EXPECT_EQ(dearest, best);
    }
}

}  // namespace
}  // namespace softalign
