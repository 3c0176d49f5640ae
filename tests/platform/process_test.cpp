#include "platform/process.h"

#include <stdio.h>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <thread>

#include "base/strings.h"
#include "platform/processor.h"
#include "platform/worker_pool.h"

namespace softalign {
namespace {

// What the probe prints, started by a shell with these variables set or taken away, in the folder of the preloaded
// library: LD_PRELOAD takes no path with a space in it.
std::string probe(const std::string& variables) {
    const std::string command = "cd " + shell_word(OLD_OPENBLAS_FOLDER) +
                                " && env -u OPENBLAS_CORETYPE -u SOFTALIGN_REEXEC " + variables + " " +
                                shell_word(SET_UP_PROBE) + " --name 'two  words' ''";
    std::FILE* const pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) {
        return "no pipe";
    }
    std::string text;
    std::array<char, 4096> buffer{};
    std::size_t count = 0;
    while ((count = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0) {
        text.append(buffer.data(), count);
    }
    EXPECT_EQ(::pclose(pipe), 0) << text;
    return text;
}

void expect_line(const std::string& text, const std::string& line) {
    EXPECT_NE(("\n" + text).find("\n" + line + "\n"), std::string::npos) << "no line \"" << line << "\" in:\n" << text;
}

// Sanitizers want their own library to be the first.
bool can_preload() {
#if defined(SOFTALIGN_SANITIZED)
    return false;
#else
    return true;
#endif
}

TEST(SetUpProcess, OneThreadNoDenormalsSameArguments) {
    const std::string text = probe("OMP_NUM_THREADS=2");
    expect_line(text, "threads 1");
    expect_line(text, "stack reserved");
#if defined(__GLIBC__) && !defined(SOFTALIGN_SANITIZED)
    expect_line(text, "freed memory kept");
#endif
#if defined(__x86_64__)
    expect_line(text, "denormals flushed");
#endif
    expect_line(text, "argument [--name]");
    expect_line(text, "argument [two  words]");
    expect_line(text, "argument []");
}

TEST(SetUpProcess, StartsAgainOnceForBetterKernels) {
    if (!can_preload() || !processor_has_avx512()) {
        GTEST_SKIP() << "needs AVX-512 and LD_PRELOAD";
    }
    const std::string text = probe("LD_PRELOAD=./" OLD_OPENBLAS);
    expect_line(text, "kernels SkylakeX");
    expect_line(text, "core type SkylakeX");
    expect_line(text, "guard 1");
    expect_line(text, "threads 1");
    expect_line(text, "argument [--name]");
    expect_line(text, "argument [two  words]");
    expect_line(text, "argument []");
}

TEST(SetUpProcess, LetsTheBlasChooseAgainWhereItCan) {
    if (!can_preload() || !processor_has_avx512()) {
        GTEST_SKIP() << "needs AVX-512 and LD_PRELOAD";
    }
    const std::string text = probe("LD_PRELOAD=./" CHOOSING_OPENBLAS);
    expect_line(text, "kernels SkylakeX");
    expect_line(text, "core type unset");
    expect_line(text, "guard unset");
    expect_line(text, "argument [two  words]");
}

TEST(SetUpProcess, TheGuardForbidsIt) {
    if (!can_preload()) {
        GTEST_SKIP() << "needs LD_PRELOAD";
    }
    const std::string text = probe("SOFTALIGN_REEXEC=0 LD_PRELOAD=./" OLD_OPENBLAS);
    expect_line(text, "kernels Zen");
    expect_line(text, "core type unset");
    expect_line(probe("SOFTALIGN_REEXEC=0 LD_PRELOAD=./" CHOOSING_OPENBLAS), "kernels Zen");
}

TEST(SetUpProcess, AUsersOwnCoreTypeIsRespected) {
    if (!can_preload()) {
        GTEST_SKIP() << "needs LD_PRELOAD";
    }
    const std::string text = probe("OPENBLAS_CORETYPE=Haswell LD_PRELOAD=./" OLD_OPENBLAS);
    expect_line(text, "kernels Haswell");
    expect_line(text, "core type Haswell");
    expect_line(text, "guard unset");
}

TEST(VisitedThread, IsAsItWasAfterwards) {
    std::thread([] {
        const auto half_of_the_smallest = [] {
            volatile float number = std::numeric_limits<float>::min();
            number = number / 2;
            return number;
        };
        at::set_num_threads(2);
        at::globalContext().setFlushDenormal(false);  // threads start with what their maker has
        EXPECT_GT(half_of_the_smallest(), 0.0F);
        {
            const VisitedThread visited;
            EXPECT_EQ(at::get_num_threads(), 1);
#if defined(__x86_64__)
            EXPECT_EQ(half_of_the_smallest(), 0.0F);
#endif
        }
        EXPECT_EQ(at::get_num_threads(), 2);
        EXPECT_GT(half_of_the_smallest(), 0.0F);
    }).join();
    at::set_num_threads(1);
}

// Threads that the host starts meanwhile and afterwards have what the host has set.
TEST(VisitedThread, OtherThreadsKeepTheirOperatorThreads) {
    const auto threads_of_another = [] {
        int threads = 0;
        std::thread([&threads] { threads = at::get_num_threads(); }).join();
        return threads;
    };
    at::set_num_threads(3);
    ASSERT_EQ(threads_of_another(), 3);
    {
        const VisitedThread visited;
        WorkerPool pool(2);
        pool.run(2, [](std::int64_t, int) { EXPECT_EQ(at::get_num_threads(), 1); });
        EXPECT_EQ(threads_of_another(), 3);
    }
    EXPECT_EQ(threads_of_another(), 3);
    EXPECT_EQ(at::get_num_threads(), 3);
    at::set_num_threads(1);
}

TEST(BetterCoreType, OnlyWhereItChangesSomething) {
    const std::string dynamic = "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY Haswell MAX_THREADS=64";
    EXPECT_EQ(better_core_type("Haswell", dynamic, true), "SkylakeX");
    EXPECT_EQ(better_core_type("Zen", dynamic, true), "SkylakeX");
    EXPECT_EQ(better_core_type("Zen", dynamic, false), "");
    EXPECT_EQ(better_core_type("SkylakeX", dynamic, true), "");
    EXPECT_EQ(better_core_type("Cooperlake", dynamic, true), "");
    EXPECT_EQ(better_core_type("AFutureCore", dynamic, true), "");
    EXPECT_EQ(better_core_type("Haswell", "OpenBLAS 0.3.21 NO_AFFINITY Haswell", true), "");
    EXPECT_EQ(better_core_type("", "", true), "");
}

}  // namespace
}  // namespace softalign
