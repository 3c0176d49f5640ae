// Event files are read back by a decoder of the test's own, which knows the formats and none of the program's code.
#include "journal/event_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/temporary.h"

namespace softalign {
namespace {

// CRC-32C bit by bit.
std::uint32_t slow_sum(const std::string& data) {
    std::uint32_t sum = ~0U;
    for (const char c : data) {
        for (int bit = 0; bit < 8; ++bit) {
            const std::uint32_t out = (sum ^ (static_cast<unsigned char>(c) >> bit)) & 1;
            sum = (sum >> 1) ^ (out * 0x82F63B78U);
        }
    }
    sum = ~sum;
    return ((sum >> 15) | (sum << 17)) + 0xA282EAD8U;
}

std::uint64_t fixed(const std::string& bytes, std::size_t at, int size) {
    std::uint64_t value = 0;
    for (int i = size - 1; i >= 0; --i) {
        value = value << 8 | static_cast<unsigned char>(bytes.at(at + static_cast<std::size_t>(i)));
    }
    return value;
}

std::vector<std::string> records_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    const std::string bytes = text.str();
    std::vector<std::string> records;
    for (std::size_t at = 0; at < bytes.size();) {
        const std::uint64_t length = fixed(bytes, at, 8);
        EXPECT_EQ(fixed(bytes, at + 8, 4), slow_sum(bytes.substr(at, 8)));
        records.push_back(bytes.substr(at + 12, length));
        EXPECT_EQ(records.back().size(), length);
        EXPECT_EQ(fixed(bytes, at + 12 + length, 4), slow_sum(records.back()));
        at += 12 + length + 4;
    }
    return records;
}

// A message as its fields: numbers as they are, and the bytes of all others.
struct Fields {
    std::map<std::uint32_t, std::uint64_t> numbers;
    std::map<std::uint32_t, std::string> bytes;

    Fields at(std::uint32_t field) const;
};

std::uint64_t varint(const std::string& bytes, std::size_t& at) {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(bytes.at(at++));
        value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
}

Fields decode(const std::string& bytes) {
    Fields fields;
    for (std::size_t at = 0; at < bytes.size();) {
        const std::uint64_t tag = varint(bytes, at);
        const auto field = static_cast<std::uint32_t>(tag >> 3);
        switch (tag & 7) {
            case 0:
                fields.numbers[field] = varint(bytes, at);
                break;
            case 1:
                fields.numbers[field] = fixed(bytes, at, 8);
                at += 8;
                break;
            case 5:
                fields.numbers[field] = fixed(bytes, at, 4);
                at += 4;
                break;
            case 2: {
                const std::uint64_t size = varint(bytes, at);
                fields.bytes[field] = bytes.substr(at, size);
                at += size;
                break;
            }
            default:
                throw std::runtime_error("unknown wire type");
        }
    }
    return fields;
}

Fields Fields::at(std::uint32_t field) const {
    return decode(bytes.at(field));
}

double as_double(std::uint64_t bits) {
    double value = 0.0;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}

float as_float(std::uint64_t bits) {
    const auto low = static_cast<std::uint32_t>(bits);
    float value = 0.0F;
    std::memcpy(&value, &low, sizeof(value));
    return value;
}

TEST(EventFile, StartsWithVersionAndSession) {
    const TemporaryDirectory directory("events");
    const EventFile file(directory.path(), 301);
    EXPECT_NE(file.path().find("/events.out.tfevents."), std::string::npos);
    const std::vector<std::string> records = records_of(file.path());
    ASSERT_EQ(records.size(), 2U);
    EXPECT_EQ(decode(records[0]).bytes.at(3), "brain.Event:2");
    EXPECT_GT(as_double(decode(records[0]).numbers.at(1)), 1.6e9);  // seconds since 1970
    const Fields session = decode(records[1]);
    EXPECT_EQ(session.numbers.at(2), 301U);
    EXPECT_EQ(session.at(7).numbers.at(1), 1U);  // START
}

TEST(EventFile, StartsAgainWhereARunGoesBack) {
    const TemporaryDirectory directory("events");
    EventFile file(directory.path(), 1);
    file.start(41);
    const std::vector<std::string> records = records_of(file.path());
    ASSERT_EQ(records.size(), 3U);
    const Fields session = decode(records[2]);
    EXPECT_EQ(session.numbers.at(2), 41U);
    EXPECT_EQ(session.at(7).numbers.at(1), 1U);  // START
}

TEST(EventFile, Scalars) {
    const TemporaryDirectory directory("events");
    EventFile file(directory.path(), 1);
    file.scalar("loss/train", 50, 7.25);
    file.scalar("loss/train", 100000, std::numeric_limits<double>::infinity());
    const std::vector<std::string> records = records_of(file.path());  // while the file is open: each is flushed
    ASSERT_EQ(records.size(), 4U);
    const Fields event = decode(records[2]);
    EXPECT_EQ(event.numbers.at(2), 50U);
    const Fields value = event.at(5).at(1);
    EXPECT_EQ(value.bytes.at(1), "loss/train");
    EXPECT_EQ(as_float(value.numbers.at(2)), 7.25F);
    EXPECT_EQ(decode(records[3]).numbers.at(2), 100000U);
    EXPECT_TRUE(std::isinf(as_float(decode(records[3]).at(5).at(1).numbers.at(2))));
}

TEST(EventFile, Text) {
    const TemporaryDirectory directory("events");
    EventFile file(directory.path(), 1);
    const std::string markdown(300, 'x');
    file.text("config", 0, markdown);
    const Fields value = decode(records_of(file.path()).at(2)).at(5).at(1);
    EXPECT_EQ(value.bytes.at(1), "config/text_summary");
    EXPECT_EQ(value.at(9).at(1).bytes.at(1), "text");      // metadata.plugin_data.plugin_name
    EXPECT_EQ(value.at(8).numbers.at(1), 7U);              // DT_STRING
    EXPECT_EQ(value.at(8).at(2).at(2).numbers.at(1), 1U);  // of one element
    EXPECT_EQ(value.at(8).bytes.at(8), markdown);
}

TEST(EventFile, EachOneIsANewFile) {
    const TemporaryDirectory directory("events");
    const EventFile first(directory.path(), 1);
    const EventFile second(directory.path(), 1);
    EXPECT_NE(first.path(), second.path());
    EXPECT_EQ(records_of(first.path()).size(), 2U);
    EXPECT_EQ(records_of(second.path()).size(), 2U);
}

TEST(EventFile, DirectoryThatIsNotThere) {
    try {
        const EventFile file("/nowhere/at/all", 1);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::output);
        EXPECT_NE(std::string(error.what()).find("/nowhere/at/all"), std::string::npos);
    }
}

}  // namespace
}  // namespace softalign
