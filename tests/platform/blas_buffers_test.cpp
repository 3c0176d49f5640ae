#include "platform/blas_buffers.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <new>

#include "platform/blas_symbols.h"

namespace softalign {
namespace {

void* (*take)(int) = nullptr;

// Each test in a process of its own, which the limit ends with; SIGALRM ends it where OpenBLAS asks for ever.
class BlasBuffersDeathTest : public testing::Test {
protected:
    void SetUp() override {
#if defined(SOFTALIGN_SANITIZED)
        GTEST_SKIP() << "sanitizers need more addresses than a limit leaves";
#endif
        take = reinterpret_cast<void* (*)(int)>(BlasLibrary().symbol("blas_memory_alloc"));
        if (take == nullptr) {
            GTEST_SKIP() << "the BLAS is not OpenBLAS";
        }
        GTEST_FLAG_SET(death_test_style, "threadsafe");
    }
};

// No more addresses than so many MiB on top of what there is.
void limit_to(std::uint64_t mebibytes) {
    std::ifstream file("/proc/self/statm");
    std::uint64_t pages = 0;
    file >> pages;
    const rlim_t most = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + (mebibytes << 20);
    const struct rlimit limits { most, most };
    ::setrlimit(RLIMIT_AS, &limits);
    ::alarm(60);
}

TEST_F(BlasBuffersDeathTest, AreThereWhateverIsLeftLater) {
    EXPECT_EXIT(
        {
            const BlasBuffers two(2);
            const BlasBuffers one_more(1);
            limit_to(32);
            const bool all = take(0) != nullptr && take(0) != nullptr && take(0) != nullptr;
            ::_exit(all ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

TEST_F(BlasBuffersDeathTest, TooLittleRoomIsAnErrorAndWhatThereIsIsKept) {
    EXPECT_EXIT(
        {
            limit_to(512);
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
