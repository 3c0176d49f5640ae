#pragma once

#include <string>

namespace softalign {

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
