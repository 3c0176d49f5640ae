#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
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

// The metadata key under which a file has a CRC-32C of each tensor's bytes and of the header. Other programs ignore it;
// files that other programs wrote have none and are accepted without it.
extern const char* const checksums_key;

// Adds the entry. `tensors`: the data of header.entries, on the CPU and contiguous. Throws std::invalid_argument for a
// tensor whose name is empty.
void add_checksums(SafetensorsHeader& header, const std::vector<at::Tensor>& tensors);

// The checksums in a file, for comparison with what was read.
class Checksums {
public:
    // Removes the entry from the header and verifies the header's own checksum. Throws Error(model) if it is wrong.
    Checksums(SafetensorsHeader& header, const std::string& path);

    // Throws Error(model), naming the tensor, if its bytes do not match the checksum.
    void check(const TensorEntry& entry, const at::Tensor& tensor) const;

private:
    std::string path_;
    bool present_ = false;
    std::map<std::string, std::string> sums_;  // tensor name -> eight hexadecimal digits
};

}  // namespace softalign
