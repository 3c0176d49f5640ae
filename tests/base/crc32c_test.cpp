#include "base/crc32c.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace softalign {
namespace {

std::uint32_t sum_of(const std::string& bytes) {
    return crc32c(bytes.data(), bytes.size());
}

// The examples of RFC 3720, appendix B.4, and the usual check value.
TEST(Crc32c, IsThatOfTheStandard) {
    EXPECT_EQ(sum_of(""), 0U);
    EXPECT_EQ(sum_of("123456789"), 0xE3069283U);
    EXPECT_EQ(sum_of(std::string(32, '\0')), 0x8A9136AAU);
    EXPECT_EQ(sum_of(std::string(32, '\xFF')), 0x62A8AB43U);
    std::string rising;
    for (char c = 0; c < 32; ++c) {
        rising += c;
    }
    EXPECT_EQ(sum_of(rising), 0x46DD794EU);
    EXPECT_EQ(sum_of(std::string(rising.rbegin(), rising.rend())), 0x113FDB5CU);
}

TEST(Crc32c, GoesOnWhereItWas) {
    const std::string text = "a sentence that is cut in two, wherever one likes";
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        EXPECT_EQ(crc32c(text.data() + cut, text.size() - cut, crc32c(text.data(), cut)), sum_of(text));
    }
}

}  // namespace
}  // namespace softalign
