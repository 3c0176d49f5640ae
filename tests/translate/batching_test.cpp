#include "translate/batching.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <vector>

#include "base/random.h"

namespace softalign {
namespace {

using Batches = std::vector<std::vector<std::size_t>>;

TEST(BatchesByLength, LongestFirstAndEqualOnesInOrder) {
    EXPECT_EQ(batches_by_length({3, 9, 3, 7, 3}, {2, 1000}), (Batches{{1, 3}, {0, 2}, {4}}));
    EXPECT_TRUE(batches_by_length({}, {2, 1000}).empty());
}

TEST(BatchesByLength, PositionsAreLimited) {
    EXPECT_EQ(batches_by_length({10, 4, 4, 4, 100}, {8, 12}), (Batches{{4}, {0}, {1, 2, 3}}));
}

TEST(BatchesByLength, EveryIndexOnceWithinTheLimits) {
    Random random(5);
    std::vector<std::int64_t> lengths;
    for (int i = 0; i < 1000; ++i) {
        lengths.push_back(1 + static_cast<std::int64_t>(random.below(90)));
    }
    std::set<std::size_t> seen;
    std::int64_t previous = 1000;
    for (const auto& batch : batches_by_length(lengths, {16, 640})) {
        ASSERT_FALSE(batch.empty());
        EXPECT_LE(batch.size(), 16U);
        EXPECT_TRUE(batch.size() == 1 || static_cast<std::int64_t>(batch.size()) * lengths[batch.front()] <= 640);
        for (const std::size_t index : batch) {
            EXPECT_TRUE(seen.insert(index).second);
            EXPECT_LE(lengths[index], previous);
            previous = lengths[index];
        }
    }
    EXPECT_EQ(seen.size(), lengths.size());
}

TEST(RunBatches, WhatFindsNoMemoryIsComputedInHalves) {
    WorkerPool pool(2);
    std::mutex mutex;
    std::map<std::size_t, std::vector<std::size_t>> last;  // that an index was computed in
    const Batches batches = {{5, 4}, {0, 1, 2, 3, 6, 7, 8}, {9}};
    const std::int64_t again = run_batches(pool, batches, [&](const std::vector<std::size_t>& batch) {
        if (batch.size() > 3) {
            throw std::bad_alloc();
        }
        const std::lock_guard<std::mutex> lock(mutex);
        for (const std::size_t index : batch) {
            last[index] = batch;
        }
    });
    EXPECT_EQ(again, 1);
    Batches computed;
    for (const auto& [index, batch] : last) {
        computed.push_back(batch);
    }
    EXPECT_EQ(computed, (Batches{{0}, {1, 2}, {1, 2}, {3, 6}, {5, 4}, {5, 4}, {3, 6}, {7, 8}, {7, 8}, {9}}));
    EXPECT_THROW(run_batches(pool, batches, [](const std::vector<std::size_t>&) { throw std::bad_alloc(); }),
                 std::bad_alloc);
}

}  // namespace
}  // namespace softalign
