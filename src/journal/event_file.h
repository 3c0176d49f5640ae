#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/appended_file.h"

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

// An event file for TensorBoard (events.out.tfevents.*): TFRecords of tensorflow.Event messages, each written
// immediately. A resumed run writes another file beside the first, and TensorBoard shows both as one.
class EventFile {
public:
    // Makes the file in `directory`, and starts. Throws Error(output).
    EventFile(const std::string& directory, std::int64_t first_update);

    // What was said of updates from `first_update` on, in earlier files too, is void: TensorBoard drops it.
    void start(std::int64_t first_update);

    const std::string& path() const { return file_.path(); }

    // Adds a point to the curve `tag` ("loss/train"). If the disk is full, it is written later; so is text.
    void scalar(const std::string& tag, std::int64_t update, double value);

    // Adds Markdown to TensorBoard's "text" tab.
    void text(const std::string& tag, std::int64_t update, std::string_view markdown);

private:
    void write_record(std::string_view data);

    AppendedFile file_;
};

}  // namespace softalign
