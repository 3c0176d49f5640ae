#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace softalign {

// The wire format of protocol buffers as far as TensorBoard's events need it: five kinds of fields and no reading. A
// dependency on the library and its code generator would be a hundred times as large, and its versions clash with those
// that LibTorch and SentencePiece bring.
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

// The `size` lowest bytes of a number, the lowest first.
std::string little_endian(std::uint64_t value, int size);

}  // namespace softalign
