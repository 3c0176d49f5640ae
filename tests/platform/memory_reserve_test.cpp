#include "platform/memory_reserve.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "platform/tight_memory.h"

namespace softalign {
namespace {

constexpr std::size_t kibibyte = 1024;

// Takes memory until there is none.
std::vector<std::unique_ptr<char[]>> all_memory() {
    std::vector<std::unique_ptr<char[]>> taken;
    taken.reserve(100000);
    try {
        for (;;) {
            taken.push_back(std::make_unique<char[]>(256 * kibibyte));
        }
    } catch (const std::bad_alloc&) {
        return taken;
    }
}

TEST(MemoryReserve, LeavesMemoryForDestructors) {
    expect_success_in_own_process([] {
        const MemoryReserve reserve;
        for (int failure = 0; failure < 3; ++failure) {
            MemoryReserve::refill();
            const TightMemory tight(kibibyte * kibibyte);
            const auto taken = all_memory();
            EXPECT_GT(taken.size(), 50U);  // the first part of it is tried again with
            // As a destructor does.
            const auto take = []() noexcept { return std::vector<char>(8 * kibibyte * kibibyte).size(); };
            EXPECT_EQ(take(), 8 * kibibyte * kibibyte);
        }
    });
}

}  // namespace
}  // namespace softalign
