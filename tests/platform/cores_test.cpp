#include "platform/processor.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdint>

namespace softalign {
namespace {

TEST(Cores, AtLeastOneAndNoMoreThanTheProcessors) {
    EXPECT_GE(physical_cores(), 1);
    EXPECT_LE(physical_cores(), logical_cores());
}

TEST(Cores, RespectTheAffinityMask) {
    cpu_set_t before;
    ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &before)) {
            CPU_SET(cpu, &one);
            break;
        }
    }
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(logical_cores(), 1);
    EXPECT_EQ(physical_cores(), 1);
    ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(Cores, Quota) {
    EXPECT_DOUBLE_EQ(parse_cpu_quota("150000 100000"), 1.5);
    EXPECT_DOUBLE_EQ(parse_cpu_quota("max 100000"), 0.0);
    EXPECT_DOUBLE_EQ(parse_cpu_quota("-1 100000"), 0.0);
    EXPECT_DOUBLE_EQ(parse_cpu_quota("100000 0"), 0.0);
    EXPECT_DOUBLE_EQ(parse_cpu_quota(""), 0.0);
}

TEST(Cores, Memory) {
    EXPECT_GT(available_memory(), std::uint64_t{1} << 20);
}

}  // namespace
}  // namespace softalign
