#include "journal/event_file.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace softalign {
namespace {

using namespace std::string_literals;

// The examples of the documentation of the wire format.
TEST(Protobuf, WireFormat) {
    ProtobufMessage number;
    number.add_varint(1, 150);
    EXPECT_EQ(number.bytes(), "\x08\x96\x01");
    ProtobufMessage text;
    text.add_bytes(2, "testing");
    EXPECT_EQ(text.bytes(), "\x12\x07testing");
    ProtobufMessage outer;
    outer.add_message(3, number);
    EXPECT_EQ(outer.bytes(), "\x1A\x03\x08\x96\x01");
}

TEST(Protobuf, FixedWidths) {
    ProtobufMessage message;
    message.add_double(1, 1.0);
    message.add_float(2, -2.0F);
    EXPECT_EQ(message.bytes(), "\x09\0\0\0\0\0\0\xF0\x3F\x15\0\0\0\xC0"s);
}

TEST(Protobuf, LargeNumbers) {
    ProtobufMessage message;
    message.add_varint(16, ~std::uint64_t{0});
    EXPECT_EQ(message.bytes(), "\x80\x01"s + std::string(9, '\xFF') + "\x01");
}

}  // namespace
}  // namespace softalign
