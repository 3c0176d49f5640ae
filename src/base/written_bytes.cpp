#include "base/written_bytes.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"

namespace softalign {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

// A file of no name. Where the file system has none, one of a name that is taken away at once.
int open_nameless(const std::string& directory) {
#ifdef O_TMPFILE
    const int descriptor = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor >= 0) {
        return descriptor;
    }
#endif
    std::string name = directory + "/corpus.XXXXXX";
    const int named = ::mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0) {
        ::unlink(name.c_str());
    }
    return named;
}

}  // namespace

WrittenBytes::WrittenBytes(const std::string& directory) : directory_(directory) {
    if (directory_.empty()) {
        return;
    }
    descriptor_ = open_nameless(directory_);
    if (descriptor_ < 0) {
        fail("a file for the corpus cannot be made", errno);
    }
    buffer_.reserve(buffer_bytes);
}

WrittenBytes::~WrittenBytes() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

void WrittenBytes::append(const void* data, std::size_t size) {
    const char* const begin = static_cast<const char*>(data);
    buffer_.insert(buffer_.end(), begin, begin + size);
    size_ += size;
    if (descriptor_ >= 0 && buffer_.size() >= buffer_bytes) {
        flush();
    }
}

void WrittenBytes::flush() {
    if (!write_all(descriptor_, buffer_.data(), buffer_.size())) {
        fail("the corpus cannot be written", errno);
    }
    buffer_.clear();
}

void WrittenBytes::finish() {
    if (descriptor_ < 0) {
        buffer_.shrink_to_fit();
        data_ = buffer_.data();
        return;
    }
    flush();
    std::vector<char>().swap(buffer_);
    if (size_ > 0) {
        mapping_ = map_file_to_read(descriptor_, size_);
        if (mapping_ == nullptr) {
            fail("the file of the corpus cannot be mapped", errno);
        }
    }
    data_ = mapping_.get();
    ::close(descriptor_);
    descriptor_ = -1;
}

void WrittenBytes::read_through(const std::function<void(const char* data, std::size_t size)>& read) const {
    constexpr std::size_t part = std::size_t{16} << 20;  // of whole pages
    for (std::size_t at = 0; at < size_; at += part) {
        const std::size_t size = std::min(part, size_ - at);
        read(data_ + at, size);
        let_go_of_mapped(data_ + at, size);
    }
}

void WrittenBytes::take(std::shared_ptr<const char> bytes, std::size_t size) {
    mapping_ = std::move(bytes);
    data_ = mapping_.get();
    size_ = size;
    if (descriptor_ >= 0) {
        ::close(descriptor_);
        descriptor_ = -1;
    }
}

void WrittenBytes::fail(const std::string& what, int error_number) const {
    throw Error(ExitCode::output, directory_ + ": " + what + ": " + errno_text(error_number) +
                                      "; free space there, choose another checkpoints.directory, or hold the corpus "
                                      "in memory (data.on_disk: false)");
}

std::pair<std::uint64_t, std::uint64_t> range_of(const WrittenBytes& ends, std::int64_t index) {
    const auto* const numbers = reinterpret_cast<const std::uint64_t*>(ends.data());
    return {index == 0 ? 0 : numbers[index - 1], numbers[index]};
}

}  // namespace softalign
