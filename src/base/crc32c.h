#pragma once

#include <cstddef>
#include <cstdint>

namespace softalign {

// Continues the CRC-32C (Castagnoli; RFC 3720, appendix B.4) `before` with these bytes; the CRC of no bytes is 0. Uses
// the processor's instruction if there is one: several gigabytes per second.
std::uint32_t crc32c(const void* data, std::size_t size, std::uint32_t before = 0);

}  // namespace softalign
