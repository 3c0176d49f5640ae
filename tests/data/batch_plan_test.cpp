#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "data/batch_stream.h"
#include "data/fixtures.h"

namespace softalign {
namespace {

using Plan = std::vector<std::vector<std::int64_t>>;

BatchPlanOptions options_for(BatchUnit unit, bool shuffle) {
    BatchPlanOptions options;
    options.unit = unit;
    options.batch_size = unit == BatchUnit::sentences ? 16 : 300;
    options.sort_window = 5;
    options.shuffle = shuffle;
    return options;
}

std::int64_t padded_tokens(const Corpus& corpus, const std::vector<std::int64_t>& batch) {
    std::int64_t longest = 0;
    for (const std::int64_t index : batch) {
        longest = std::max(longest, corpus.target_length(index) + 1);
    }
    return longest * static_cast<std::int64_t>(batch.size());
}

class EveryPlan : public testing::TestWithParam<std::pair<BatchUnit, bool>> {
protected:
    const RandomCorpus corpus_{1003, 1};
    const BatchPlanOptions options_ = options_for(GetParam().first, GetParam().second);
};

TEST_P(EveryPlan, HoldsEveryExampleOnce) {
    for (const std::int64_t size : {1, 2, 15, 16, 17, 1003}) {
        const RandomCorpus corpus(size, 2);
        std::vector<std::int64_t> seen;
        for (const auto& batch : plan_epoch(corpus, options_, 3)) {
            EXPECT_FALSE(batch.empty());
            seen.insert(seen.end(), batch.begin(), batch.end());
        }
        std::sort(seen.begin(), seen.end());
        ASSERT_EQ(static_cast<std::int64_t>(seen.size()), size);
        for (std::int64_t i = 0; i < size; ++i) {
            EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
        }
    }
    EXPECT_TRUE(plan_epoch(RandomCorpus(0, 1), options_, 0).empty());
}

TEST_P(EveryPlan, IsAFunctionOfSeedAndEpoch) {
    const Plan plan = plan_epoch(corpus_, options_, 4);
    EXPECT_EQ(plan, plan_epoch(corpus_, options_, 4));
    BatchPlanOptions other = options_;
    other.seed = 2;
    EXPECT_EQ(plan != plan_epoch(corpus_, options_, 5), options_.shuffle);
    EXPECT_EQ(plan != plan_epoch(corpus_, other, 4), options_.shuffle);
}

TEST_P(EveryPlan, KeepsToTheBatchSize) {
    const Plan plan = plan_epoch(corpus_, options_, 0);
    for (const auto& batch : plan) {
        if (options_.unit == BatchUnit::sentences) {
            EXPECT_LE(static_cast<std::int64_t>(batch.size()), options_.batch_size);
        } else {
            EXPECT_LE(padded_tokens(corpus_, batch), options_.batch_size);
        }
    }
    if (options_.unit == BatchUnit::sentences) {
        EXPECT_EQ(plan.size(), 63U);  // 1003 in sixteens: no window ends in a short batch but the last
    }
}

TEST_P(EveryPlan, SortsByLengthWithinABatch) {
    for (const auto& batch : plan_epoch(corpus_, options_, 0)) {
        EXPECT_TRUE(std::is_sorted(batch.begin(), batch.end(), [&](std::int64_t a, std::int64_t b) {
            return std::make_pair(corpus_.target_length(a), corpus_.source_length(a)) <
                   std::make_pair(corpus_.target_length(b), corpus_.source_length(b));
        }));
    }
}

INSTANTIATE_TEST_SUITE_P(Options, EveryPlan,
                         testing::Values(std::make_pair(BatchUnit::sentences, true),
                                         std::make_pair(BatchUnit::sentences, false),
                                         std::make_pair(BatchUnit::tokens, true),
                                         std::make_pair(BatchUnit::tokens, false)));

TEST(BatchPlan, WastesLittleOnPadding) {
    const RandomCorpus corpus(1003, 1);
    const auto padding = [&](std::int64_t window) {
        BatchPlanOptions options = options_for(BatchUnit::sentences, true);
        options.sort_window = window;
        std::int64_t padded = 0;
        for (const auto& batch : plan_epoch(corpus, options, 0)) {
            padded += padded_tokens(corpus, batch);
        }
        return padded;
    };
    EXPECT_LT(padding(20), padding(1) * 3 / 4);
}

// By tokens a batch is full where another row would not fit: the budget but for the width of a row.
TEST(BatchPlan, BatchesByTokensUseTheirBudget) {
    const RandomCorpus corpus(3000, 1);
    for (const std::int64_t window : {1, 2, 5, 20, 1000}) {
        BatchPlanOptions options = options_for(BatchUnit::tokens, true);
        options.batch_size = 1000;
        options.sort_window = window;
        const Plan plan = plan_epoch(corpus, options, 0);
        double used = 0.0;
        std::set<std::int64_t> seen;
        for (const auto& batch : plan) {
            used += static_cast<double>(padded_tokens(corpus, batch));
            seen.insert(batch.begin(), batch.end());
        }
        EXPECT_GT(used / (1000.0 * static_cast<double>(plan.size())), 0.94) << window;
        EXPECT_EQ(seen.size(), 3000U) << window;
    }
}

double mean_length(const Corpus& corpus, const std::vector<std::int64_t>& batch) {
    double sum = 0.0;
    for (const std::int64_t index : batch) {
        sum += static_cast<double>(corpus.target_length(index));
    }
    return sum / static_cast<double>(batch.size());
}

// Without windows a batch is what comes next, whatever its length, and so is the short one at the end.
TEST(BatchPlan, WithoutWindowsNoBatchIsOfOneLength) {
    const RandomCorpus corpus(500, 1);
    BatchPlanOptions options = options_for(BatchUnit::tokens, true);
    options.batch_size = 2000;
    options.sort_window = 1;
    double of_last = 0.0;
    double of_all = 0.0;
    for (std::int64_t epoch = 0; epoch < 50; ++epoch) {
        const Plan plan = plan_epoch(corpus, options, epoch);
        of_last += mean_length(corpus, plan.back()) / 50.0;
        for (const auto& batch : plan) {
            of_all += mean_length(corpus, batch) / static_cast<double>(50 * plan.size());
            EXPECT_TRUE(batch == plan.back() || padded_tokens(corpus, batch) > 1600);
        }
    }
    EXPECT_NEAR(of_last / of_all, 1.0, 0.1);
}

// What a window has beyond its full batches is spread over all of them, so that no few long sentences are a batch.
TEST(BatchPlan, TheEndOfAnEpochHasNoRunt) {
    for (const BatchUnit unit : {BatchUnit::sentences, BatchUnit::tokens}) {
        BatchPlanOptions options = options_for(unit, true);
        for (std::int64_t size = 1000; size < 1016; ++size) {
            const RandomCorpus corpus(size, 3);
            options.sort_window = size % 2 == 0 ? 20 : 1000;
            for (const auto& batch : plan_epoch(corpus, options, 0)) {
                const std::int64_t used = unit == BatchUnit::sentences ? static_cast<std::int64_t>(batch.size())
                                                                       : padded_tokens(corpus, batch);
                EXPECT_GT(2 * used, options.batch_size) << size;
            }
        }
    }
}

TEST(BatchPlan, HugeSizesAreOneBatch) {
    const RandomCorpus corpus(100, 1);
    for (const BatchUnit unit : {BatchUnit::sentences, BatchUnit::tokens}) {
        BatchPlanOptions options = options_for(unit, true);
        options.batch_size = options.sort_window = std::numeric_limits<std::int64_t>::max();
        EXPECT_EQ(plan_epoch(corpus, options, 0).size(), 1U);
    }
}

TEST(BatchPlan, GivesALongPairABatchOfItsOwn) {
    const RandomCorpus corpus(200, 1);
    BatchPlanOptions options = options_for(BatchUnit::tokens, true);
    options.batch_size = 20;
    for (const auto& batch : plan_epoch(corpus, options, 0)) {
        EXPECT_TRUE(batch.size() == 1 || padded_tokens(corpus, batch) <= 20);
    }
}

TEST(BatchPlan, KeepsTheOrderOfWindowsWithoutShuffling) {
    const RandomCorpus corpus(100, 1);
    BatchPlanOptions options = options_for(BatchUnit::sentences, false);
    options.batch_size = 5;
    options.sort_window = 2;
    const Plan plan = plan_epoch(corpus, options, 0);
    for (std::size_t batch = 0; batch < plan.size(); ++batch) {
        for (const std::int64_t index : plan[batch]) {
            EXPECT_EQ(static_cast<std::size_t>(index / 10), batch / 2);
        }
    }
}

// A corpus of three parts, of 10, 7 and 4 pairs.
class InParts : public RandomCorpus {
public:
    InParts() : RandomCorpus(21, 5) { report_.ends = {10, 17, 21}; }
};

// How often an epoch has each pair.
std::vector<int> counts_of(const Plan& plan) {
    std::vector<int> counts(21);
    for (const auto& batch : plan) {
        for (const std::int64_t index : batch) {
            ++counts.at(static_cast<std::size_t>(index));
        }
    }
    return counts;
}

int sum(const std::vector<int>& counts, int begin, int end) {
    return std::accumulate(counts.begin() + begin, counts.begin() + end, 0);
}

TEST(WeightedPlan, TakesOfEachPartWhatItsWeightSays) {
    BatchPlanOptions options;
    options.batch_size = 4;
    options.weights = {1.0, 0.3, 2.5};
    const InParts corpus;
    std::vector<int> all(21);
    for (std::int64_t epoch = 0; epoch < 20; ++epoch) {
        const std::vector<int> counts = counts_of(plan_epoch(corpus, options, epoch));
        EXPECT_EQ(sum(counts, 0, 10), 10);
        EXPECT_EQ(sum(counts, 10, 17), static_cast<int>(0.3 * 7 * (epoch + 1)) - static_cast<int>(0.3 * 7 * epoch));
        EXPECT_EQ(sum(counts, 17, 21), 10);
        for (int i = 0; i < 21; ++i) {
            all[static_cast<std::size_t>(i)] += counts[static_cast<std::size_t>(i)];
            // No pair comes again before the others of its part have come.
            EXPECT_LE(counts[static_cast<std::size_t>(i)], i < 10 ? 1 : i < 17 ? 1 : 3);
        }
        const auto [least, most] = std::minmax_element(all.begin() + 10, all.begin() + 17);
        EXPECT_LE(*most - *least, 1);
    }
    EXPECT_EQ(sum(all, 10, 17), 42);
    for (int i = 10; i < 17; ++i) {
        EXPECT_EQ(all[static_cast<std::size_t>(i)], 6) << "six whole shuffles in twenty epochs";
    }
}

TEST(WeightedPlan, IsAFunctionOfSeedAndEpoch) {
    BatchPlanOptions options;
    options.batch_size = 4;
    options.weights = {0.5, 0.5, 0.5};
    const InParts corpus;
    EXPECT_EQ(plan_epoch(corpus, options, 3), plan_epoch(corpus, options, 3));
    EXPECT_NE(counts_of(plan_epoch(corpus, options, 3)), counts_of(plan_epoch(corpus, options, 5)));
    BatchPlanOptions other = options;
    other.seed = 2;
    EXPECT_NE(counts_of(plan_epoch(corpus, options, 2)), counts_of(plan_epoch(corpus, other, 2)));
}

TEST(WeightedPlan, WithOnesIsThePlanWithout) {
    BatchPlanOptions options;
    options.batch_size = 4;
    const InParts corpus;
    const Plan plain = plan_epoch(corpus, options, 6);
    options.weights = {1.0, 1.0, 1.0};
    EXPECT_EQ(plan_epoch(corpus, options, 6), plain);
}

TEST(WeightedPlan, APartWithoutPairsIsLeftOut) {
    class OneEmpty : public RandomCorpus {
    public:
        OneEmpty() : RandomCorpus(21, 5) { report_.ends = {10, 10, 21}; }
    };
    BatchPlanOptions options;
    options.weights = {1.0, 3.0, 1.0};
    EXPECT_EQ(counts_of(plan_epoch(OneEmpty(), options, 1)), std::vector<int>(21, 1));
}

}  // namespace
}  // namespace softalign
