#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/written_bytes.h"

namespace softalign {

// "123 bytes 456": the size and the CRC-32C of some bytes, as keys of caches have them.
std::string digest_text(std::size_t bytes, std::uint32_t sum);

// The same of a file's bytes. Throws Error(data).
std::string digest_of_file(const std::string& path);

// The file of a folder for what is made of `key`. Another key has another file, except by a chance of one in 2^64.
std::string cache_path(const std::string& folder, std::string_view key);

// Writes parts of bytes to a file that is there as a whole or not at all. Throws Error(output).
class CacheWriter {
public:
    CacheWriter(const std::string& path, std::string_view key);
    void add(const void* data, std::size_t size);
    void add(const WrittenBytes& bytes);
    void add(const std::vector<std::int64_t>& numbers) { add(numbers.data(), numbers.size() * sizeof(std::int64_t)); }
    void commit() { file_.commit(); }

private:
    void begin(std::size_t size, std::uint32_t checksum);
    void end(std::size_t size);

    AtomicFile file_;
};

// Reads them in the same order. They stay in the file, which is mapped.
class CacheReader {
public:
    // Reads the file once, for its checksums. Throws Error(data) where it cannot be read, is not that of the key, or
    // its bytes are not those that were written.
    CacheReader(const std::string& path, std::string_view key);

    // Throws Error(data) where there is no next part.
    std::pair<std::shared_ptr<const char>, std::size_t> next();
    std::vector<std::int64_t> numbers();
    // Throws Error(data): the file says what cannot be.
    [[noreturn]] void fail(const std::string& what) const;

private:
    std::string path_;
    std::shared_ptr<const char> bytes_;
    std::vector<std::pair<std::size_t, std::size_t>> parts_;  // where each begins, and its bytes
    std::size_t next_ = 0;
};

}  // namespace softalign
