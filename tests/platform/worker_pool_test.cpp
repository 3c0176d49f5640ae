#include "platform/worker_pool.h"

#include <gtest/gtest.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace softalign {
namespace {

TEST(WorkerPool, DoesEveryTaskOnce) {
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

TEST(WorkerPool, AnExceptionReachesTheCallerAndStopsTheRest) {
    for (const int workers : {1, 3}) {
        WorkerPool pool(workers);
        std::atomic<int> started{0};
        try {
            pool.run(100000, [&](std::int64_t index, int) {
                ++started;
                if (index == 5) {
                    throw std::runtime_error("task 5");
                }
            });
            FAIL() << "no exception";
        } catch (const std::runtime_error& error) {
            EXPECT_EQ(std::string(error.what()), "task 5");
        }
        EXPECT_GE(started, 6);
        EXPECT_TRUE(workers > 1 || started == 6);
    }
}

TEST(WorkerPool, AForkedProcessHasWorkersOfItsOwn) {
    WorkerPool pool(3);
    const auto sum = [](WorkerPool& workers) {
        std::atomic<std::int64_t> total{0};
        workers.run(100, [&](std::int64_t index, int) { total += index; });
        return total.load();
    };
    EXPECT_EQ(sum(pool), 4950);
    for (int process = 0; process < 3; ++process) {
        const pid_t child = ::fork();
        if (child == 0) {
            ::alarm(60);
            auto* const unused = new WorkerPool(2);
            const bool right = sum(pool) == 4950 && sum(pool) == 4950;
            delete unused;
            ::_exit(right ? 0 : 1);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    EXPECT_EQ(sum(pool), 4950);
}

TEST(WorkerPool, SeveralThreadsMayCallItAtTheSameTime) {
    for (const int workers : {1, 3}) {
        WorkerPool pool(workers);
        std::vector<std::thread> callers;
        std::vector<std::int64_t> sums(6);
        for (std::int64_t& sum : sums) {
            callers.emplace_back([&] {
                for (const std::int64_t count : {1, 40, 0, 2, 1, 3}) {
                    std::atomic<std::int64_t> added{0};
                    pool.run(count, [&](std::int64_t index, int) { added += index + 1; });
                    sum += added;
                }
            });
        }
        for (std::thread& caller : callers) {
            caller.join();
        }
        for (const std::int64_t sum : sums) {
            EXPECT_EQ(sum, 1 + 820 + 0 + 3 + 1 + 6);
        }
    }
}

// Each waits for the other: if one came after the other, neither would end.
TEST(WorkerPool, SingleTasksOfSeveralThreadsGoSideBySide) {
    WorkerPool pool(2);
    std::promise<void> first;
    std::promise<void> second;
    std::thread other([&] {
        pool.run(1, [&](std::int64_t, int) {
            first.set_value();
            second.get_future().wait();
        });
    });
    pool.run(1, [&](std::int64_t, int) {
        first.get_future().wait();
        second.set_value();
    });
    other.join();
}

TEST(WorkerPool, WorksAgainAfterAFailure) {
    WorkerPool pool(3);
    EXPECT_THROW(pool.run(20, [](std::int64_t, int) { throw std::runtime_error("each task"); }), std::runtime_error);
    std::atomic<int> done{0};
    pool.run(20, [&](std::int64_t, int) { ++done; });
    EXPECT_EQ(done.load(), 20);
}

}  // namespace
}  // namespace softalign
