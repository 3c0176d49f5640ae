#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace softalign {

// Writes the wire format of protocol buffers, as far as TensorBoard's events need it: five kinds of fields. The library
// with its code generator would be a hundred times as large, and its versions conflict with those that LibTorch and
// SentencePiece include.
class ProtobufMessage {
public:
    void add_varint(std::uint32_t field, std::uint64_t value);
    void add_double(std::uint32_t field, double value);
    void add_float(std::uint32_t field, float value);
    void add_bytes(std::uint32_t field, std::string_view value);
    void add_message(std::uint32_t field, const ProtobufMessage& value) { add_bytes(field, value.bytes_); }

    const std::string& bytes() const { return bytes_; }

private:
    void tag(std::uint32_t field, std::uint32_t wire_type);
    void varint(std::uint64_t value);

    std::string bytes_;
};

// The `size` lowest bytes of a number, little-endian.
std::string little_endian(std::uint64_t value, int size);

}  // namespace softalign
