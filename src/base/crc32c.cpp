#include "base/crc32c.h"

#include <array>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__)
#include <nmmintrin.h>
#define SOFTALIGN_X86
#endif

namespace softalign {

namespace {

constexpr std::uint32_t polynomial = 0x82F63B78U;  // bits reversed

std::array<std::uint32_t, 256> make_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t value = byte;
        for (int bit = 0; bit < 8; ++bit) {
            value = (value >> 1U) ^ ((value & 1U) != 0 ? polynomial : 0U);
        }
        table[byte] = value;
    }
    return table;
}

std::uint32_t portable(const unsigned char* data, std::size_t size, std::uint32_t sum) {
    static const std::array<std::uint32_t, 256> table = make_table();
    for (std::size_t i = 0; i < size; ++i) {
        sum = table[(sum ^ data[i]) & 0xFFU] ^ (sum >> 8U);
    }
    return sum;
}

#ifdef SOFTALIGN_X86
__attribute__((target("sse4.2"))) std::uint32_t by_instruction(const unsigned char* data, std::size_t size,
                                                               std::uint32_t sum) {
    std::uint64_t wide = sum;
    for (; size >= sizeof(std::uint64_t); size -= sizeof(std::uint64_t), data += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, data, sizeof word);
        wide = _mm_crc32_u64(wide, word);
    }
    sum = static_cast<std::uint32_t>(wide);
    for (; size > 0; --size, ++data) {
        sum = _mm_crc32_u8(sum, *data);
    }
    return sum;
}
#endif

}  // namespace

std::uint32_t crc32c(const void* data, std::size_t size, std::uint32_t before) {
    const auto* bytes = static_cast<const unsigned char*>(data);
#ifdef SOFTALIGN_X86
    static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
    if (has_instruction) {
        return ~by_instruction(bytes, size, ~before);
    }
#endif
    return ~portable(bytes, size, ~before);
}

}  // namespace softalign
