#pragma once

#include <string>

namespace softalign {

// A file that one process at a time holds. It goes with the process, however that ends, so nothing is left locked; the
// file itself stays and names the last holder.
class FileLock {
public:
    // Throws Error(output) with `path` where another process holds it (named, where it can be), and where the file
    // cannot be made. Where the file system has no locks there is none.
    explicit FileLock(const std::string& path);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

private:
    int descriptor_ = -1;
};

}  // namespace softalign
