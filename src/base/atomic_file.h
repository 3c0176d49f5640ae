#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace softalign {

// A file that appears whole or not at all: the bytes go to a temporary name beside `path`, and commit() fsyncs it,
// renames it over `path` and fsyncs the directory. Destroyed without commit, it leaves nothing behind and an earlier
// file of that name untouched. Where `path` is a symbolic link, the file that it names is replaced and the link stays.
// Every member throws Error(output) with the path, the system's reason and what to do.
class AtomicFile {
public:
    // Fails where the directory does not exist or cannot be written to, and where `path` is something other than a
    // regular file (a directory, a device).
    explicit AtomicFile(const std::string& path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(const void* data, std::size_t size);
    // REQUIRES: called once, nothing written afterwards.
    void commit();

private:
    [[noreturn]] void fail(const std::string& what, int error_number);
    void discard();

    std::string path_;
    std::string temporary_;
    int descriptor_ = -1;
};

// The whole of a small file at once.
void write_file_atomically(const std::string& path, std::string_view content);

}  // namespace softalign
