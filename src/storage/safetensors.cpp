#include "storage/safetensors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/files.h"
#include "base/little_endian.h"
#include "storage/safetensors_header.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "safetensors files are little-endian; this code copies their bytes as they are"
#endif

namespace softalign {

namespace {

constexpr std::size_t length_bytes = 8;

// A file read from its beginning, whose size is known.
class InputFile {
public:
    explicit InputFile(const std::string& path) : path_(path) {
        struct stat status {};
        if (::stat(path.c_str(), &status) != 0) {
            fail(errno_text(errno) + "; check the path");
        }
        if (!S_ISREG(status.st_mode)) {
            fail("it is not a regular file; check the path");
        }
        descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (descriptor_ < 0) {
            fail(errno_text(errno) + "; check its permissions");
        }
        if (::fstat(descriptor_, &status) != 0) {
            fail(errno_text(errno) + "; check the disk");
        }
        size_ = static_cast<std::uint64_t>(status.st_size);
    }
    ~InputFile() {
        if (descriptor_ >= 0) {
            ::close(descriptor_);
        }
    }
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    std::uint64_t size() const { return size_; }

    // All bytes of the file. Null where they cannot be mapped. REQUIRES: the file is not empty.
    std::shared_ptr<char> map() const { return map_file(descriptor_, static_cast<std::size_t>(size_)); }

    void read(void* data, std::size_t size) {
        char* next = static_cast<char*>(data);
        while (size > 0) {
            const ssize_t count = read_some(descriptor_, next, size);
            if (count == 0) {
                fail("it became shorter while it was read");
            }
            if (count < 0) {
                fail(errno_text(errno) + "; check the disk");
            }
            next += count;
            size -= static_cast<std::size_t>(count);
        }
    }

private:
    [[noreturn]] void fail(const std::string& what) { throw Error(ExitCode::model, path_ + ": cannot read: " + what); }

    std::string path_;
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
};

SafetensorsHeader read_header(InputFile& input, const std::string& path) {
    if (input.size() < length_bytes) {
        throw Error(ExitCode::model, path + ": not a safetensors file: it has only " + std::to_string(input.size()) +
                                         " bytes; copy it again or use another checkpoint");
    }
    std::string bytes(length_bytes, '\0');
    input.read(bytes.data(), bytes.size());
    const std::uint64_t length = from_little_endian(bytes);
    if (length > max_header_bytes || length > input.size() - length_bytes) {
        throw Error(ExitCode::model, path + ": not a safetensors file: its first bytes announce a header of " +
                                         std::to_string(length) + " bytes, the file has " +
                                         std::to_string(input.size()) + "; copy it again or use another checkpoint");
    }
    std::string header(length, '\0');
    input.read(header.data(), header.size());
    return parse_header(header, input.size() - length_bytes - length, path);
}

// A copy, from where the file stands.
at::Tensor read_tensor(InputFile& input, const TensorEntry& entry) {
    at::Tensor tensor = at::empty(entry.shape, at::TensorOptions().dtype(entry.dtype));
    input.read(tensor.data_ptr(), entry.end - entry.begin);
    return tensor;
}

// A view of the mapping, which it keeps. `data` is where the tensors' bytes begin. What does not lie where its elements
// could be read one by one is copied.
at::Tensor view_tensor(const std::shared_ptr<char>& mapping, std::uint64_t data, const TensorEntry& entry) {
    char* const begin = mapping.get() + data + entry.begin;
    const auto options = at::TensorOptions().dtype(entry.dtype);
    if (reinterpret_cast<std::uintptr_t>(begin) % c10::elementSize(entry.dtype) == 0) {
        return at::from_blob(
            begin, entry.shape, [mapping](void*) {}, options);
    }
    at::Tensor tensor = at::empty(entry.shape, options);
    if (tensor.numel() > 0) {
        std::memcpy(tensor.data_ptr(), begin, entry.end - entry.begin);
    }
    return tensor;
}

void check_bytes(const at::Tensor& tensor, const TensorEntry& entry, const std::string& path) {
    if (entry.dtype != at::kBool) {
        return;
    }
    const auto* bytes = static_cast<const unsigned char*>(tensor.data_ptr());
    if (std::any_of(bytes, bytes + tensor.numel(), [](unsigned char byte) { return byte > 1; })) {
        throw Error(ExitCode::model,
                    path + ": tensor " + printable(entry.name) + " is of dtype BOOL but has bytes other than 0 and 1");
    }
}

}  // namespace

void write_safetensors(AtomicFile& output, const TensorFile& file) {
    std::vector<std::pair<std::string, at::Tensor>> ordered = file.tensors;
    for (const auto& [name, tensor] : ordered) {
        if (!tensor.defined()) {
            throw std::invalid_argument("tensor " + printable(name) + " is undefined");
        }
    }
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](const auto& a, const auto& b) { return a.second.element_size() > b.second.element_size(); });
    SafetensorsHeader header;
    header.metadata = file.metadata;
    std::uint64_t position = 0;
    for (const auto& [name, tensor] : ordered) {
        const std::uint64_t end = position + tensor.nbytes();
        header.entries.push_back({name, tensor.scalar_type(), tensor.sizes().vec(), position, end});
        position = end;
    }
    std::vector<at::Tensor> data;
    for (const auto& [name, tensor] : ordered) {
        data.push_back(tensor.detach().to(at::kCPU).contiguous());
    }
    add_checksums(header, data);
    const std::string json = format_header(header);
    if (json.size() > max_header_bytes) {
        throw std::invalid_argument("the header of a safetensors file would be too long");
    }
    const std::string length = little_endian(json.size(), length_bytes);
    output.write(length.data(), length.size());
    output.write(json.data(), json.size());
    for (const at::Tensor& tensor : data) {
        output.write(tensor.data_ptr(), tensor.nbytes());
    }
}

void write_safetensors(const std::string& path, const TensorFile& file, AtomicFile::Link link) {
    AtomicFile output(path, AtomicFile::Temporary::unnamed_if_possible, link);
    write_safetensors(output, file);
    output.commit();
}

TensorFile read_safetensors(const std::string& path, FileAccess access) {
    InputFile input(path);
    SafetensorsHeader header = read_header(input, path);
    const Checksums checksums(header, path);
    const std::uint64_t data = input.size() - (header.entries.empty() ? 0 : header.entries.back().end);
    const std::shared_ptr<char> mapping = access == FileAccess::map ? input.map() : nullptr;
    TensorFile file;
    file.metadata = header.metadata;
    for (const TensorEntry& entry : header.entries) {
        const at::Tensor tensor = mapping ? view_tensor(mapping, data, entry) : read_tensor(input, entry);
        checksums.check(entry, tensor);
        check_bytes(tensor, entry, path);
        if (mapping) {
            let_go_of_mapped(tensor.data_ptr(), tensor.nbytes());  // it may never be used as it lies there
        }
        file.tensors.emplace_back(entry.name, tensor);
    }
    return file;
}

std::map<std::string, std::string> read_safetensors_metadata(const std::string& path) {
    InputFile input(path);
    SafetensorsHeader header = read_header(input, path);
    const Checksums checksums(header, path);
    return header.metadata;
}

}  // namespace softalign
