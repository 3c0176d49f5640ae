#include "report/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace softalign {
namespace {

// RFC 3720, appendix B.4, and the check value of the catalogues of such sums.
TEST(Crc32c, KnownSums) {
    EXPECT_EQ(crc32c(""), 0U);
    EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
    EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
    EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43U);
    std::string rising;
    std::string falling;
    for (int i = 0; i < 32; ++i) {
        rising += static_cast<char>(i);
        falling += static_cast<char>(31 - i);
    }
    EXPECT_EQ(crc32c(rising), 0x46DD794EU);
    EXPECT_EQ(crc32c(falling), 0x113FDB5CU);
}

TEST(Crc32c, MaskIsARotationAndAConstant) {
    const std::uint64_t sum = 0xE3069283U;
    const std::uint64_t rotated = (sum >> 15 | sum << 17) & 0xFFFFFFFFU;
    EXPECT_EQ(masked_crc32c("123456789"), (rotated + 0xA282EAD8U) & 0xFFFFFFFFU);
}

}  // namespace
}  // namespace softalign
