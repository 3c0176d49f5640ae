#include "platform/blas.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <new>

#include "platform/tight_memory.h"

namespace softalign {
namespace {

void* (*take)(int) = nullptr;

// Each test in a process of its own, which the limit ends with; SIGALRM ends it where OpenBLAS asks for ever.
class BlasBuffersDeathTest : public testing::Test {
protected:
    void SetUp() override {
        if (sanitized) {
            GTEST_SKIP() << "sanitizers need more addresses than a limit leaves";
        }
        take = reinterpret_cast<void* (*)(int)>(BlasLibrary().symbol("blas_memory_alloc"));
        if (take == nullptr) {
            GTEST_SKIP() << "the BLAS is not OpenBLAS";
        }
        GTEST_FLAG_SET(death_test_style, "threadsafe");
    }
};

constexpr std::uint64_t mebibyte = 1 << 20;

TEST_F(BlasBuffersDeathTest, AreThereWhateverIsLeftLater) {
    EXPECT_EXIT(
        {
            const BlasBuffers two(2);
            const BlasBuffers one_more(1);
            const TightMemory tight(32 * mebibyte);
            ::alarm(60);
            const bool all = take(0) != nullptr && take(0) != nullptr && take(0) != nullptr;
            ::_exit(all ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

TEST_F(BlasBuffersDeathTest, TooLittleRoomIsAnErrorAndWhatThereIsIsKept) {
    EXPECT_EXIT(
        {
            const TightMemory tight(512 * mebibyte);
            ::alarm(60);
            bool refused = false;
            try {
                const BlasBuffers many(40);
            } catch (const std::bad_alloc&) {
                refused = true;
            }
            const BlasBuffers few(2);
            ::_exit(refused ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

TEST(BlasBuffers, MoreThanThereArePlacesForAreNotAskedFor) {
    const BlasBuffers many(1000);
    const BlasBuffers none(0);
}

}  // namespace
}  // namespace softalign
