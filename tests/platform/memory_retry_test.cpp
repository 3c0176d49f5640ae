#include "platform/memory.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <stdexcept>
#include <tuple>
#include <vector>

namespace softalign {
namespace {

struct Call {
    std::int64_t index;
    bool alone;
    std::int64_t parts;

    bool operator==(const Call& other) const {
        return std::tie(index, alone, parts) == std::tie(other.index, other.alone, other.parts);
    }
};

TEST(RunAsMemoryAllows, EverythingIsComputedOnceWhereThereIsEnough) {
    WorkerPool pool(3);
    std::vector<int> calls(20);
    const MemoryRetries retries = run_as_memory_allows(
        pool, 20, [](std::int64_t) { return 1; },
        [&](std::int64_t index, int, Attempt attempt) {
            EXPECT_FALSE(attempt.alone);
            EXPECT_EQ(attempt.parts, 1);
            ++calls[static_cast<std::size_t>(index)];
        });
    EXPECT_EQ(calls, std::vector<int>(20, 1));
    EXPECT_EQ(retries.tasks, 0);
    EXPECT_EQ(retries.parts, 1);
}

TEST(RunAsMemoryAllows, WhatFindsNoneIsComputedAgainAfterTheOthersAndInParts) {
    WorkerPool pool(2);
    std::mutex mutex;
    std::vector<Call> calls;
    const MemoryRetries retries = run_as_memory_allows(
        pool, 6, [](std::int64_t) { return 5; },
        [&](std::int64_t index, int worker, Attempt attempt) {
            const std::lock_guard<std::mutex> lock(mutex);
            calls.push_back({index, attempt.alone, attempt.parts});
            EXPECT_TRUE(!attempt.alone || worker == 0);
            const bool fits = (index != 1 && index != 4) || (index == 1 && attempt.alone) || attempt.parts >= 4;
            if (!fits) {
                throw std::bad_alloc();
            }
        });
    ASSERT_EQ(calls.size(), 10U);
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_FALSE(calls[i].alone);
    }
    EXPECT_EQ(std::vector<Call>(calls.begin() + 6, calls.end()),
              (std::vector<Call>{{1, true, 1}, {4, true, 1}, {4, true, 2}, {4, true, 4}}));
    EXPECT_EQ(retries.tasks, 2);
    EXPECT_EQ(retries.parts, 4);
}

TEST(RunAsMemoryAllows, TheSmallestPartsAreTheLastAttempt) {
    WorkerPool pool(2);
    std::int64_t most = 0;
    EXPECT_THROW(run_as_memory_allows(
                     pool, 1, [](std::int64_t) { return 3; },
                     [&](std::int64_t, int, Attempt attempt) {
                         most = attempt.parts;
                         throw std::bad_alloc();
                     }),
                 std::bad_alloc);
    EXPECT_EQ(most, 4);  // no more than three parts can come of it
}

TEST(RunAsMemoryAllows, OtherFaultsAreNotTriedAgain) {
    WorkerPool pool(1);
    int calls = 0;
    EXPECT_THROW(run_as_memory_allows(
                     pool, 3, [](std::int64_t) { return 8; },
                     [&](std::int64_t, int, Attempt) {
                         ++calls;
                         throw std::runtime_error("another");
                     }),
                 std::runtime_error);
    EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace softalign
