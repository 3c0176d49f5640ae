#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace softalign {

// One tensor of the file. `begin` and `end` are byte offsets into the data after the header.
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

// The longest header that is read or written. It limits what a damaged or malicious file can make us allocate.
constexpr std::uint64_t max_header_bytes = 100'000'000;

// Parses and checks the JSON: the entries cover 0..data_bytes without gap or overlap, and each has exactly the size of
// its shape and dtype. Throws Error(model); `path` is for the message.
SafetensorsHeader parse_header(std::string_view json, std::uint64_t data_bytes, const std::string& path);

// The JSON of a header, padded with spaces to a multiple of 8 bytes.
// Throws std::invalid_argument for a duplicate name or one that is not UTF-8.
std::string format_header(const SafetensorsHeader& header);

// "F32" for float32. Throws std::invalid_argument for a dtype that write_safetensors does not list.
const char* dtype_name(at::ScalarType dtype);

// A tensor's name for messages: in quotes, ASCII, of limited length.
std::string printable(const std::string& name);

}  // namespace softalign
