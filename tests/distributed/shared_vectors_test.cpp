#include "train/shared_vectors.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "base/temporary.h"
#include "distributed/group.h"
#include "platform/memory.h"
#include "platform/worker_pool.h"

namespace softalign {
namespace {

constexpr std::int64_t elements = 103;
constexpr std::int64_t slice = 16;

// Ranks as threads, each with shared vectors of its own.
class SharedVectorsTest : public testing::TestWithParam<int> {
protected:
    void SetUp() override {
        if (!has_transport()) {
            GTEST_SKIP() << "built without c10d";
        }
    }

    static void in_all_ranks(const std::function<void(Group&, SharedVectors&)>& work) {
        const TemporaryDirectory folder("shared-vectors");
        std::vector<std::thread> threads;
        for (int rank = 0; rank < GetParam(); ++rank) {
            threads.emplace_back([&, rank] {
                LaunchEnvironment place;
                place.rank = rank;
                place.size = GetParam();
                place.launcher = "the test";
                place.rendezvous = "file://" + folder.path("board");
                DistributedConfig config;
                config.timeout = 60.0;
                Group group(place, config);
                WorkerPool pool(1);
                SharedVectors shared(group, pool, elements, slice);
                group.run([&] { work(group, shared); });
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
    }

    static at::Tensor numbers() { return at::arange(elements, at::kFloat); }

    // Of those numbers, what a process owns, and -1 elsewhere.
    static at::Tensor owned(const SharedVectors& shared) {
        at::Tensor result = at::full({elements}, -1.0, at::kFloat);
        const std::int64_t begin = std::min(shared.first_slice() * slice, elements);
        const std::int64_t end = std::min(shared.end_slice() * slice, elements);
        result.narrow(0, begin, end - begin).copy_(numbers().narrow(0, begin, end - begin));
        return result;
    }
};

TEST_P(SharedVectorsTest, WhatEachOwnsIsTheWhole) {
    in_all_ranks([](Group& /*group*/, SharedVectors& shared) {
        const at::Tensor values = owned(shared);
        shared.share(values);
        EXPECT_TRUE(at::equal(values, numbers()));
    });
}

TEST_P(SharedVectorsTest, TheFirstGathersAllAndTheOthersKeepTheirOwn) {
    in_all_ranks([](Group& group, SharedVectors& shared) {
        const at::Tensor values = owned(shared);
        shared.gather_to_first(values);
        EXPECT_TRUE(at::equal(values, group.is_first() ? numbers() : owned(shared)));
    });
}

TEST_P(SharedVectorsTest, TheFirstGivesEachItsOwnAndNothingElse) {
    in_all_ranks([](Group& group, SharedVectors& shared) {
        const at::Tensor values = group.is_first() ? numbers() : at::full({elements}, -1.0, at::kFloat);
        shared.scatter_from_first(values);
        EXPECT_TRUE(at::equal(values, group.is_first() ? numbers() : owned(shared)));
    });
}

TEST_P(SharedVectorsTest, WhatOthersOwnIsReleased) {
    in_all_ranks([](Group& group, SharedVectors& shared) {
        const at::Tensor values = untouched_zeros(at::empty({elements}, at::kFloat));
        values.copy_(numbers());
        shared.release_others(values);
        // These few share a page with what is owned, unless that is at the end of the vector.
        const std::int64_t begin = std::min(shared.first_slice() * slice, elements);
        const std::int64_t end = std::min(shared.end_slice() * slice, elements);
        EXPECT_TRUE(at::equal(values.narrow(0, begin, end - begin), numbers().narrow(0, begin, end - begin)));
        shared.gather_to_first(values);
        EXPECT_TRUE(!group.is_first() || at::equal(values, numbers()));
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, SharedVectorsTest, testing::Values(1, 2, 4, 8));

}  // namespace
}  // namespace softalign
