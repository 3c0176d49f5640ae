#include "platform/memory.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <stdexcept>
#include <vector>

#include "platform/tight_memory.h"

namespace softalign {
namespace {

bool says_out_of_memory(const std::function<void()>& action) {
    try {
        action();
    } catch (const std::exception& error) {
        return is_out_of_memory(error);
    }
    ADD_FAILURE() << "nothing was thrown";
    return false;
}

TEST(OutOfMemory, IsTold) {
    constexpr std::int64_t too_much = std::int64_t{1} << 47;  // bytes, as many as a process has addresses
    // AddressSanitizer would end the process.
    if (!sanitized) {
        EXPECT_TRUE(says_out_of_memory([] { at::empty({too_much}, at::kByte).fill_(0); }));
    }
    EXPECT_TRUE(says_out_of_memory([] { throw std::bad_alloc(); }));
}

TEST(OutOfMemory, IsNotEveryFault) {
    EXPECT_FALSE(says_out_of_memory([] { at::zeros({2, 3}).mm(at::zeros({2, 3})); }));
    EXPECT_FALSE(says_out_of_memory([] { throw std::runtime_error("out of memory"); }));
}

}  // namespace
}  // namespace softalign
