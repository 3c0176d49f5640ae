#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/memory.h"

namespace softalign {
namespace {

// Pages of the tensor that are in memory.
std::ptrdiff_t pages_in_memory(const at::Tensor& tensor) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> present((tensor.nbytes() + page - 1) / page);
    EXPECT_EQ(::mincore(tensor.data_ptr(), tensor.nbytes(), present.data()), 0);
    return std::count_if(present.begin(), present.end(), [](unsigned char flags) { return (flags & 1U) != 0; });
}

TEST(UntouchedZeros, TakeMemoryOnlyWhereTheyAreWrittenTo) {
    const at::Tensor zeros = untouched_zeros(at::empty({8 << 20}, at::kFloat));
    EXPECT_EQ(pages_in_memory(zeros), 0);
    zeros.narrow(0, 4 << 20, 10).fill_(1.0);
    const std::ptrdiff_t touched = pages_in_memory(zeros);
    EXPECT_GE(touched, 1);
    EXPECT_LE(touched, 2048);  // with huge pages, a quarter of them
    EXPECT_EQ(zeros.sum().item<float>(), 10.0F);
}

TEST(UntouchedZeros, AreLikeTheirModel) {
    const at::Tensor zeros = untouched_zeros(at::ones({3, 5}, at::kDouble).set_requires_grad(true));
    EXPECT_EQ(zeros.sizes(), at::IntArrayRef({3, 5}));
    EXPECT_EQ(zeros.dtype(), at::kDouble);
    EXPECT_FALSE(zeros.requires_grad());
    EXPECT_TRUE(at::equal(zeros, at::zeros({3, 5}, at::kDouble)));
    EXPECT_EQ(untouched_zeros(at::empty({0})).numel(), 0);
}

TEST(UntouchedZeros, AreUntouchedAgainWhereTheyAreReleased) {
    const at::Tensor zeros = untouched_zeros(at::empty({8 << 20}, at::kFloat));
    zeros.fill_(1.0);
    const std::int64_t begin = (3 << 20) + 5;
    const std::int64_t end = (5 << 20) - 7;
    release_elements(zeros, 0, begin);
    release_elements(zeros, end, zeros.numel());
    EXPECT_LE(pages_in_memory(zeros), pages_in_memory(zeros.narrow(0, 3 << 20, 2 << 20)));
    EXPECT_TRUE(zeros.narrow(0, begin, end - begin).eq(1.0).all().item<bool>());
    EXPECT_EQ(zeros.narrow(0, 0, 3 << 20).sum().item<float>(), 0.0F);
    EXPECT_EQ(zeros.narrow(0, 5 << 20, 3 << 20).sum().item<float>(), 0.0F);
}

TEST(UntouchedZeros, KeepWhatSharesAPageWithTheReleased) {
    const at::Tensor zeros = untouched_zeros(at::empty({100}, at::kFloat));
    zeros.fill_(1.0);
    release_elements(zeros, 20, 80);
    release_elements(zeros, 50, 50);
    EXPECT_TRUE(zeros.eq(1.0).all().item<bool>());
}

}  // namespace
}  // namespace softalign
