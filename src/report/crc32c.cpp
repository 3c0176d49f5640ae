#include "report/crc32c.h"

#include <array>

namespace softalign {

namespace {

constexpr std::uint32_t polynomial = 0x82F63B78;  // 0x1EDC6F41, bits reversed

std::array<std::uint32_t, 256> make_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
        std::uint32_t sum = byte;
        for (int bit = 0; bit < 8; ++bit) {
            sum = (sum >> 1) ^ ((sum & 1) != 0 ? polynomial : 0);
        }
        table[byte] = sum;
    }
    return table;
}

}  // namespace

std::uint32_t crc32c(std::string_view data) {
    static const std::array<std::uint32_t, 256> table = make_table();
    std::uint32_t sum = 0xFFFFFFFF;
    for (const char c : data) {
        sum = (sum >> 8) ^ table[(sum ^ static_cast<unsigned char>(c)) & 0xFF];
    }
    return ~sum;
}

std::uint32_t masked_crc32c(std::string_view data) {
    const std::uint32_t sum = crc32c(data);
    return ((sum >> 15) | (sum << 17)) + 0xA282EAD8;
}

}  // namespace softalign
