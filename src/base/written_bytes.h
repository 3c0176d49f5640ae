#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace softalign {

// Bytes that are written once, in sequence, and then read in any order. They are kept in memory or in an unnamed file,
// whose pages the system loads when they are used and may evict when memory is short. The file disappears with the
// process, even after a crash.
class WrittenBytes {
public:
    // Writes to a file in `directory` if it is not empty, else to memory. Throws Error(output).
    explicit WrittenBytes(const std::string& directory = "");
    ~WrittenBytes();
    WrittenBytes(const WrittenBytes&) = delete;
    WrittenBytes& operator=(const WrittenBytes&) = delete;

    // Throws Error(output) with the directory, the system's reason and what to do.
    void append(const void* data, std::size_t size);

    // Ends the writing. Throws Error(output).
    void finish();

    // Calls read(data, size) for one part after another, without keeping more than one in memory where the bytes are in
    // a file. REQUIRES: as data().
    void read_through(const std::function<void(const char* data, std::size_t size)>& read) const;

    // In place of writing: bytes that are there already, aligned to 16 bytes.
    void take(std::shared_ptr<const char> bytes, std::size_t size);

    // The first of size() bytes, aligned to 16 bytes, valid as long as the object lives. REQUIRES: finish() was called.
    const char* data() const { return data_; }
    std::size_t size() const { return size_; }

private:
    void flush();
    [[noreturn]] void fail(const std::string& what, int error_number) const;

    std::string directory_;
    int descriptor_ = -1;
    std::vector<char> buffer_;  // all bytes, or those not in the file yet
    std::shared_ptr<const char> mapping_;
    const char* data_ = nullptr;
    std::size_t size_ = 0;
};

// Where item `index` begins and ends, of items one behind the other. `ends`: where each of them ends, std::uint64_t.
std::pair<std::uint64_t, std::uint64_t> range_of(const WrittenBytes& ends, std::int64_t index);

}  // namespace softalign
