#include "report/protobuf.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace softalign {

namespace {

constexpr std::uint32_t wire_varint = 0;
constexpr std::uint32_t wire_64_bits = 1;
constexpr std::uint32_t wire_bytes = 2;
constexpr std::uint32_t wire_32_bits = 5;

}  // namespace

std::string little_endian(std::uint64_t value, int size) {
    std::string bytes;
    for (int i = 0; i < size; ++i) {
        bytes += static_cast<char>(value >> (8 * i) & 0xFF);
    }
    return bytes;
}

void ProtobufMessage::varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) {
        bytes_ += static_cast<char>((value & 0x7F) | 0x80);
    }
    bytes_ += static_cast<char>(value);
}

void ProtobufMessage::tag(std::uint32_t field, std::uint32_t wire_type) {
    varint(field << 3 | wire_type);
}

void ProtobufMessage::add_varint(std::uint32_t field, std::uint64_t value) {
    tag(field, wire_varint);
    varint(value);
}

void ProtobufMessage::add_double(std::uint32_t field, double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    tag(field, wire_64_bits);
    bytes_ += little_endian(bits, 8);
}

void ProtobufMessage::add_float(std::uint32_t field, float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    tag(field, wire_32_bits);
    bytes_ += little_endian(bits, 4);
}

void ProtobufMessage::add_bytes(std::uint32_t field, std::string_view value) {
    tag(field, wire_bytes);
    varint(value.size());
    bytes_ += value;
}

}  // namespace softalign
