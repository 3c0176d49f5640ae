#include "base/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>

#include "base/error.h"

namespace softalign {

namespace {

// What the holder wrote: its process number.
std::string holder_of(int descriptor) {
    char text[32];
    const ssize_t count = ::pread(descriptor, text, sizeof text, 0);
    std::string digits;
    for (ssize_t i = 0; i < count && text[i] >= '0' && text[i] <= '9'; ++i) {
        digits += text[i];
    }
    return digits.empty() ? "another process" : "process " + digits;
}

}  // namespace

FileLock::FileLock(const std::string& path) : path_(path) {
    while (!take()) {
    }
    const std::string number = std::to_string(::getpid()) + "\n";
    if (::ftruncate(descriptor_, 0) != 0 ||
        ::pwrite(descriptor_, number.data(), number.size(), 0) != static_cast<ssize_t>(number.size())) {
        return;  // the number is for a message alone
    }
}

// False where the file was removed by its last holder between the opening and the locking: another process may hold a
// new one of that name.
bool FileLock::take() {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    made_ = descriptor_ >= 0;
    if (!made_) {
        descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    }
    if (descriptor_ < 0) {
        throw Error(ExitCode::output, path_ + ": cannot be made (" + errno_text(errno) +
                                          "); choose a directory that you may write to, or change its permissions");
    }
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
        const int failure = errno;
        if (failure == EWOULDBLOCK) {
            const std::string holder = holder_of(descriptor_);
            ::close(descriptor_);
            throw Error(ExitCode::output, path_ + ": " + holder +
                                              " is training into this directory; wait for it to end, stop it, or "
                                              "choose another checkpoints.directory");
        }
        return true;  // a file system without locks: as if there were none
    }
    struct stat opened {};
    struct stat named {};
    if (::fstat(descriptor_, &opened) == 0 && ::stat(path_.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
        opened.st_ino == named.st_ino) {
        return true;
    }
    ::close(descriptor_);
    return false;
}

FileLock::~FileLock() {
    if (made_) {
        ::unlink(path_.c_str());
    }
    ::close(descriptor_);
}

}  // namespace softalign
