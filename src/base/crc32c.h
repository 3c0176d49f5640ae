#pragma once

#include <cstddef>
#include <cstdint>

namespace softalign {

// CRC-32C (Castagnoli; RFC 3720, appendix B.4) of what `before` is the sum of, followed by these bytes; 0 is the sum of
// nothing. By the processor's instruction where it has one, several gigabytes a second.
std::uint32_t crc32c(const void* data, std::size_t size, std::uint32_t before = 0);

}  // namespace softalign
