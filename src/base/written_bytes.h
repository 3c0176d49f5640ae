#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace softalign {

// Bytes that are written once, one after the other, and then read in any order: in memory, or in a file without a name,
// whose pages the system reads when they are used and drops when memory is wanted for something else. The file is gone
// with the process, however that ends.
class WrittenBytes {
public:
    // Into a file in this directory, where one is given; else in memory. Throws Error(output).
    explicit WrittenBytes(const std::string& directory = "");
    ~WrittenBytes();
    WrittenBytes(const WrittenBytes&) = delete;
    WrittenBytes& operator=(const WrittenBytes&) = delete;

    // Throws Error(output) with the directory, the system's reason and what to do.
    void append(const void* data, std::size_t size);

    // Nothing is appended afterwards. Throws Error(output).
    void finish();

    // The first of size() bytes, for as long as the object lives; aligned to 16 bytes. REQUIRES: finish() was called.
    const char* data() const { return data_; }
    std::size_t size() const { return size_; }

private:
    void flush();
    [[noreturn]] void fail(const std::string& what, int error_number) const;

    std::string directory_;
    int descriptor_ = -1;
    std::vector<char> buffer_;  // all of it, or what the file does not have yet
    std::shared_ptr<const char> mapping_;
    const char* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace softalign
