#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>

namespace softalign {

// read(2) and write(2) for descriptors that others may have made non-blocking: another process that shares the open
// file, such as a parent that serves many pipes, sets that for all of them. Both go on after a signal, and wait where
// the descriptor would have blocked.

// The bytes read, 0 at the end, or -1 with errno set.
ssize_t read_some(int descriptor, void* data, std::size_t size);

// The bytes written, at least one where size > 0, or -1 with errno set.
ssize_t write_some(int descriptor, const void* data, std::size_t size);

// Writes all of it. False, with errno set, where that cannot be.
bool write_all(int descriptor, const char* data, std::size_t size);

// Whether errno says that a non-blocking descriptor is not ready.
bool not_ready(int error_number);

// Maps the first `bytes` > 0 bytes of an open file copy-on-write: writing to the memory leaves the file unchanged. The
// mapping lasts as long as the pointer. Null if they cannot be mapped.
std::shared_ptr<char> map_file(int descriptor, std::size_t bytes);

// The same, read-only, for random access: the system does not read ahead.
std::shared_ptr<const char> map_file_to_read(int descriptor, std::size_t bytes);

// Has the system begin to read these bytes of a mapping from the disk, and returns at once. For ranges of many pages in
// a mapping for random access: without it, each page is read alone when it is first used.
void read_ahead_of_mapped(const void* begin, std::size_t bytes);

// Releases the whole pages in [begin, begin + bytes) if they belong to a mapping of either kind; does nothing
// otherwise. The next access reads them from the file again, so anything written to them is lost.
void let_go_of_mapped(const void* begin, std::size_t bytes);

// A file that one process at a time holds. The lock goes with the process, however that ends, so nothing is left
// locked. The file names its holder; it stays where it was there before, and after keep().
class FileLock {
public:
    // Throws Error(output) with `path` if another process holds the lock (naming it if possible), or if the file cannot
    // be created. On a file system without locks, nothing is locked.
    explicit FileLock(const std::string& path);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

    // The file stays when this is destroyed.
    void keep() { made_ = false; }

private:
    bool take();

    std::string path_;
    bool made_ = false;  // by this object, and not to be kept
    int descriptor_ = -1;
};

}  // namespace softalign
