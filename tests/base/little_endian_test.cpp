#include "base/little_endian.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace softalign {
namespace {

TEST(LittleEndian, TheLowestByteComesFirst) {
    using namespace std::string_literals;
    EXPECT_EQ(little_endian(0x0102, 4), "\x02\x01\0\0"s);
    EXPECT_EQ(little_endian(0x123456, 2), "\x56\x34");
    EXPECT_EQ(little_endian(0x0102030405060708, 8), "\x08\x07\x06\x05\x04\x03\x02\x01");
    EXPECT_EQ(little_endian(7, 0), "");
    EXPECT_EQ(from_little_endian("\xFF\x80"), 0x80FFU);
    EXPECT_EQ(from_little_endian(""), 0U);
    constexpr std::uint64_t large = 0xFEDCBA9876543210U;
    EXPECT_EQ(from_little_endian(little_endian(large, 8)), large);
}

}  // namespace
}  // namespace softalign
