#pragma once

#include <cstdint>
#include <string_view>

namespace softalign {

// CRC-32C (Castagnoli; RFC 3720, appendix B.4).
std::uint32_t crc32c(std::string_view data);

// As TFRecord stores it, so that the sum of data that holds sums is no special case: rotated and moved by a constant.
std::uint32_t masked_crc32c(std::string_view data);

}  // namespace softalign
