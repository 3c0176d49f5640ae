#include "metrics/parallel.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <new>
#include <stdexcept>
#include <vector>

namespace {

// How many allocations of this thread succeed before one fails; below 0 = none fails.
thread_local int allocations_left = -1;

void* allocate(std::size_t size) {
    if (allocations_left >= 0 && allocations_left-- == 0) {
        throw std::bad_alloc();
    }
    if (void* memory = std::malloc(size > 0 ? size : 1)) {
        return memory;
    }
    throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) {
    return allocate(size);
}

void* operator new[](std::size_t size) {
    return allocate(size);
}

void operator delete(void* memory) noexcept {
    std::free(memory);
}

void operator delete[](void* memory) noexcept {
    std::free(memory);
}

void operator delete(void* memory, std::size_t /*size*/) noexcept {
    std::free(memory);
}

void operator delete[](void* memory, std::size_t /*size*/) noexcept {
    std::free(memory);
}

namespace softalign {
namespace {

constexpr std::size_t size = 1000;
constexpr int threads = 5;

TEST(InParallel, EveryPieceIsDoneOnce) {
    std::vector<int> done(size);
    in_parallel(size, threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            ++done[i];
        }
    });
    EXPECT_EQ(done, std::vector<int>(size, 1));
}

TEST(InParallel, WhatIsThrownReachesTheCaller) {
    EXPECT_THROW(in_parallel(size, threads, [](std::size_t, std::size_t) { throw std::runtime_error("fault"); }),
                 std::runtime_error);
}

// Threads that were started must be joined whatever fails after them.
TEST(InParallel, TheWorkIsDoneWhicheverAllocationFails) {
    std::vector<int> done(size);
    const std::function<void(std::size_t, std::size_t)> action = [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            ++done[i];
        }
    };
    int failed = 0;
    for (bool failing = true; failing; ++failed) {
        done.assign(size, 0);
        allocations_left = failed;
        in_parallel(size, threads, action);
        failing = allocations_left < 0;  // it was reached
        allocations_left = -1;
        EXPECT_EQ(done, std::vector<int>(size, 1)) << "allocation " << failed;
    }
    EXPECT_GE(failed, threads);
}

}  // namespace
}  // namespace softalign
