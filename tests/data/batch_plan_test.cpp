#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

}  // namespace
}  // namespace softalign
