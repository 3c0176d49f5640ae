#include "journal/event_file.h"

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/crc32c.h"
#include "base/little_endian.h"

namespace softalign {

namespace {

constexpr std::uint32_t wire_varint = 0;
constexpr std::uint32_t wire_64_bits = 1;
constexpr std::uint32_t wire_bytes = 2;
constexpr std::uint32_t wire_32_bits = 5;

}  // namespace

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

namespace {

// The numbers of the fields in TensorFlow's event.proto, summary.proto and tensor.proto.
namespace event {
constexpr std::uint32_t wall_time = 1, step = 2, file_version = 3, summary = 5, session_log = 7;
}
namespace session_log {
constexpr std::uint32_t status = 1;
constexpr std::uint64_t start = 1;
}  // namespace session_log
namespace summary {
constexpr std::uint32_t value = 1;
}
namespace summary_value {
constexpr std::uint32_t tag = 1, simple_value = 2, tensor = 8, metadata = 9;
}
namespace summary_metadata {
constexpr std::uint32_t plugin_data = 1;
}
namespace plugin_data {
constexpr std::uint32_t plugin_name = 1;
}
namespace tensor {
constexpr std::uint32_t dtype = 1, shape = 2, string_value = 8;
constexpr std::uint64_t string_type = 7;
}  // namespace tensor
namespace tensor_shape {
constexpr std::uint32_t dimension = 2;
}
namespace tensor_dimension {
constexpr std::uint32_t size = 1;
}

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// TensorBoard takes any file with "tfevents" in its name, and reads those of a directory in the order of their names.
std::string new_path(const std::string& directory) {
    char host[256] = "host";
    ::gethostname(host, sizeof(host) - 1);
    const std::string start = (std::filesystem::path(directory) / "events.out.tfevents.").string() +
                              std::to_string(static_cast<std::int64_t>(seconds_now())) + ".";
    const std::string end = std::string(host) + "." + std::to_string(::getpid());
    std::string path;
    for (int number = 0; path.empty() || std::filesystem::exists(path); ++number) {
        path = start + end + "." + std::to_string(number);
    }
    return path;
}

ProtobufMessage event_at(std::int64_t update) {
    ProtobufMessage message;
    message.add_double(event::wall_time, seconds_now());
    message.add_varint(event::step, static_cast<std::uint64_t>(update));
    return message;
}

std::string summary_event(std::int64_t update, const ProtobufMessage& value) {
    ProtobufMessage summary_message;
    summary_message.add_message(summary::value, value);
    ProtobufMessage message = event_at(update);
    message.add_message(event::summary, summary_message);
    return message.bytes();
}

// A vector of one string.
ProtobufMessage string_tensor(std::string_view text) {
    ProtobufMessage dimension;
    dimension.add_varint(tensor_dimension::size, 1);
    ProtobufMessage shape;
    shape.add_message(tensor_shape::dimension, dimension);
    ProtobufMessage message;
    message.add_varint(tensor::dtype, tensor::string_type);
    message.add_message(tensor::shape, shape);
    message.add_bytes(tensor::string_value, text);
    return message;
}

// A CRC-32C as TFRecord stores it, so that the sum of data that holds sums is no special case: rotated and moved by a
// constant.
std::uint32_t masked_sum(std::string_view data) {
    const std::uint32_t sum = crc32c(data.data(), data.size());
    return ((sum >> 15U) | (sum << 17U)) + 0xA282EAD8U;
}

ProtobufMessage metadata_of_plugin(std::string_view name) {
    ProtobufMessage plugin;
    plugin.add_bytes(plugin_data::plugin_name, name);
    ProtobufMessage metadata;
    metadata.add_message(summary_metadata::plugin_data, plugin);
    return metadata;
}

}  // namespace

EventFile::EventFile(const std::string& directory, std::int64_t first_update) : file_(new_path(directory)) {
    ProtobufMessage version;
    version.add_double(event::wall_time, seconds_now());
    version.add_bytes(event::file_version, "brain.Event:2");
    write_record(version.bytes());
    start(first_update);
}

void EventFile::start(std::int64_t first_update) {
    ProtobufMessage log;
    log.add_varint(session_log::status, session_log::start);
    ProtobufMessage message = event_at(first_update);
    message.add_message(event::session_log, log);
    write_record(message.bytes());
}

void EventFile::scalar(const std::string& tag, std::int64_t update, double value) {
    ProtobufMessage message;
    message.add_bytes(summary_value::tag, tag);
    message.add_float(summary_value::simple_value, static_cast<float>(value));
    write_record(summary_event(update, message));
}

void EventFile::text(const std::string& tag, std::int64_t update, std::string_view markdown) {
    ProtobufMessage message;
    message.add_bytes(summary_value::tag, tag + "/text_summary");
    message.add_message(summary_value::metadata, metadata_of_plugin("text"));
    message.add_message(summary_value::tensor, string_tensor(markdown));
    write_record(summary_event(update, message));
}

// TFRecord: length, its sum, data, their sum.
void EventFile::write_record(std::string_view data) {
    const std::string length = little_endian(data.size(), 8);
    file_.write(length + little_endian(masked_sum(length), 4) + std::string(data) + little_endian(masked_sum(data), 4));
}

}  // namespace softalign
