#pragma once

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <functional>
#include <iostream>

#include "platform/process.h"

namespace softalign {

// A sanitizer's own memory counts as the program's, and it keeps freed memory for a while.
#if defined(SOFTALIGN_SANITIZED)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

struct ProcessMemory {
    std::uint64_t address_space = 0;  // bytes
    std::uint64_t resident = 0;
};

inline ProcessMemory process_memory() {
    std::ifstream file("/proc/self/statm");
    ProcessMemory memory;
    file >> memory.address_space >> memory.resident;
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return {memory.address_space * page, memory.resident * page};
}

// No more address space than so many bytes on top of what is there, while it lives.
class TightMemory {
public:
    explicit TightMemory(std::uint64_t bytes) {
        ::malloc_trim(0);
        ::getrlimit(RLIMIT_AS, &before_);
        const rlimit tight{process_memory().address_space + bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_AS, &tight);
    }
    ~TightMemory() { ::setrlimit(RLIMIT_AS, &before_); }
    TightMemory(const TightMemory&) = delete;
    TightMemory& operator=(const TightMemory&) = delete;

private:
    rlimit before_{};
};

// In the process of a death test, Google Test keeps them to itself.
inline void print_failures() {
    const testing::TestResult& result = *testing::UnitTest::GetInstance()->current_test_info()->result();
    for (int i = 0; i < result.total_part_count(); ++i) {
        const testing::TestPartResult& part = result.GetTestPartResult(i);
        std::cerr << part.file_name() << ":" << part.line_number() << ": " << part.message() << "\n";
    }
}

// Runs the body in a process of its own, which has no memory from before to take from, gives large blocks back at once,
// and ends well where no expectation of the body failed. Once a test; skips it where sanitizers are.
inline void expect_success_in_own_process(const std::function<void()>& body) {
    if (sanitized) {
        GTEST_SKIP() << "a sanitizer's own memory counts as the program's";
    }
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            set_up_library();
            ::mallopt(M_MMAP_THRESHOLD, 1 << 16);
            ::mallopt(M_ARENA_MAX, 1);  // one for a thread takes 64 MiB of address space, whenever that comes
            body();
            print_failures();
            ::_exit(testing::Test::HasFailure() ? 1 : 0);
        },
        testing::ExitedWithCode(0), "");
}

}  // namespace softalign
