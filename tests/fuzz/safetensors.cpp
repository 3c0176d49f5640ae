// A safetensors file. An input that begins with "{" is a header, to which the length is added, and after its first line
// feed the tensors' bytes; any other is a file as it is.
#include "storage/safetensors.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/crc32c.h"
#include "fuzz.h"
#include "storage/safetensors_header.h"

namespace softalign {

namespace {

std::string file_of(std::string_view header, std::string_view data) {
    const std::uint64_t length = header.size();
    std::string bytes;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        bytes.push_back(static_cast<char>(length >> shift & 0xFF));
    }
    return bytes.append(header).append(data);
}

std::string file_of(std::string_view input) {
    if (input.empty() || input.front() != '{') {
        return std::string(input);
    }
    const std::size_t end = std::min(input.find('\n'), input.size());
    return file_of(input.substr(0, end), input.substr(std::min(end + 1, input.size())));
}

bool same(const TensorFile& one, const TensorFile& other) {
    return std::equal(one.tensors.begin(), one.tensors.end(), other.tensors.begin(), other.tensors.end(),
                      [](const auto& a, const auto& b) {
                          return a.first == b.first && a.second.scalar_type() == b.second.scalar_type() &&
                                 a.second.sizes() == b.second.sizes() &&
                                 (a.second.nbytes() == 0 ||
                                  std::memcmp(a.second.data_ptr(), b.second.data_ptr(), a.second.nbytes()) == 0);
                      });
}

// The file with checksums, as it would be written.
std::string with_checksums(const TensorFile& file) {
    SafetensorsHeader header;
    header.metadata = file.metadata;
    std::vector<at::Tensor> tensors;
    std::string data;
    for (const auto& [name, tensor] : file.tensors) {
        const std::uint64_t begin = data.size();
        data.append(static_cast<const char*>(tensor.data_ptr()), tensor.nbytes());
        header.entries.push_back({name, tensor.scalar_type(), tensor.sizes().vec(), begin, data.size()});
        tensors.push_back(tensor);
    }
    add_checksums(header, tensors);
    return file_of(format_header(header), data);
}

// With a bit turned, the tensors are as they were or the file is refused.
void turn_a_bit(std::string bytes, std::uint32_t which, const TensorFile& expected) {
    MemoryFile changed;
    const std::size_t bit = which % (bytes.size() * 8);
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    accepts([&] { require(same(read_safetensors(changed.hold(bytes)), expected), "a turned bit does not go unseen"); });
}

void run(std::string_view input) {
    MemoryFile memory;
    TensorFile file;
    const std::string& path = memory.hold(file_of(input));
    if (!accepts([&] { file = read_safetensors(path); })) {
        return;
    }
    require(read_safetensors_metadata(path) == file.metadata, "the metadata alone are those of the file");
    if (std::any_of(file.tensors.begin(), file.tensors.end(), [](const auto& named) { return named.first.empty(); })) {
        return;  // other programs may write such a name, this one does not
    }
    const std::string written = with_checksums(file);
    MemoryFile copy;
    const TensorFile again = read_safetensors(copy.hold(written));
    require(same(again, file) && again.metadata == file.metadata, "what is written is read back");
    turn_a_bit(written, crc32c(input.data(), input.size()), file);
}

}  // namespace

}  // namespace softalign

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    softalign::run(softalign::text_of(data, size));
    return 0;
}
