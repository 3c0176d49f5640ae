#include "base/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
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

FileLock::FileLock(const std::string& path) {
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) {
        throw Error(ExitCode::output, path + ": cannot be made (" + errno_text(errno) +
                                          "); choose a directory that you may write to, or change its permissions");
    }
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
        const int failure = errno;
        if (failure == EWOULDBLOCK) {
            const std::string holder = holder_of(descriptor_);
            ::close(descriptor_);
            throw Error(ExitCode::output, path + ": " + holder +
                                              " is training into this directory; wait for it to end, stop it, or "
                                              "choose another checkpoints.directory");
        }
        return;  // a file system without locks: as if there were none
    }
    const std::string number = std::to_string(::getpid()) + "\n";
    if (::ftruncate(descriptor_, 0) != 0 ||
        ::pwrite(descriptor_, number.data(), number.size(), 0) != static_cast<ssize_t>(number.size())) {
        return;  // the number is for a message alone
    }
}

FileLock::~FileLock() {
    ::close(descriptor_);
}

}  // namespace softalign
