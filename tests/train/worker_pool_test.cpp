#include "train/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>

namespace softalign {
namespace {

TEST(WorkerPool, does_every_task_once) {
    for (const int workers : {1, 2, 5}) {
        WorkerPool pool(workers);
        EXPECT_EQ(pool.size(), workers);
        for (const std::int64_t count : {0, 1, 3, 100}) {
            std::vector<std::atomic<int>> done(static_cast<std::size_t>(count));
            pool.run(count, [&](std::int64_t index, int worker) {
                EXPECT_GE(worker, 0);
                EXPECT_LT(worker, workers);
                ++done[static_cast<std::size_t>(index)];
            });
            for (const auto& times : done) {
                EXPECT_EQ(times.load(), 1);
            }
        }
    }
}

TEST(WorkerPool, rethrows_a_failure_and_works_again) {
    WorkerPool pool(3);
    const auto fail_at_seven = [](std::int64_t index, int) {
        if (index == 7) {
            throw std::runtime_error("task seven");
        }
    };
    EXPECT_THROW(pool.run(20, fail_at_seven), std::runtime_error);
    std::atomic<int> done{0};
    pool.run(20, [&](std::int64_t, int) { ++done; });
    EXPECT_EQ(done.load(), 20);
}

}  // namespace
}  // namespace softalign
