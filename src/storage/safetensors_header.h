#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace softalign {

// Where one tensor lies: `begin` and `end` are byte offsets into the data that follow the header.
struct TensorEntry {
    std::string name;
    at::ScalarType dtype = at::kFloat;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

struct SafetensorsHeader {
    std::vector<TensorEntry> entries;  // by offset
    std::map<std::string, std::string> metadata;
};

// The longest header that is read or written: a bound on what a broken or hostile file can make us allocate.
constexpr std::uint64_t max_header_bytes = 100'000'000;

// Parses and checks the JSON: the entries lie in 0..data_bytes one after the other without hole or overlap, and each
// has exactly the bytes of its shape and dtype. Throws Error(model); `path` is for the message.
SafetensorsHeader parse_header(std::string_view json, std::uint64_t data_bytes, const std::string& path);

// The JSON of a header, padded with spaces to a multiple of 8 bytes.
// Throws std::invalid_argument for a name given twice or not in UTF-8.
std::string format_header(const SafetensorsHeader& header);

// "F32" and back. The dtype must be one of those that write_safetensors lists; std::invalid_argument otherwise.
const char* dtype_name(at::ScalarType dtype);

// A tensor's name as it may be printed: in quotes, ASCII, of bounded length.
std::string printable(const std::string& name);

}  // namespace softalign
