#include "base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.h"

namespace softalign {

namespace {

std::string directory_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) {
        return ".";
    }
    return slash == 0 ? "/" : path.substr(0, slash);
}

std::string advice(const std::string& path, int error_number) {
    switch (error_number) {
        case ENOSPC:
        case EDQUOT:
            return "free space and run again; the previous file is untouched";
        case EFBIG:
            return "raise the limit of the shell (ulimit -f) or use another file system; the previous file is "
                   "untouched";
        case EMFILE:
        case ENFILE:
            return "raise the limit of open files (ulimit -n) and run again; the previous file is untouched";
        case ENAMETOOLONG:
            return "choose a shorter name";
        case ENOENT:
        case ENOTDIR:
            return "create the directory " + directory_of(path) + " first, or name another path";
        case EACCES:
        case EPERM:
        case EROFS:
            return "choose a directory that you may write to, or change its permissions";
        default:
            return "check the disk and run again; the previous file is untouched";
    }
}

// Where a symbolic link leads, so that what it names is replaced and not the link; other paths as they are.
std::string target_of(const std::string& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) {
        return path;
    }
    char* const resolved = ::realpath(path.c_str(), nullptr);
    if (resolved == nullptr) {
        return path;  // it leads nowhere
    }
    std::string target(resolved);
    std::free(resolved);
    return target;
}

// Two processes, or two threads, that write the same path never share a temporary file.
std::string temporary_name(const std::string& path) {
    static std::atomic<unsigned> counter{0};
    return path + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(counter.fetch_add(1));
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(target_of(path)), temporary_(temporary_name(path_)) {
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
        throw Error(ExitCode::output, path + ": cannot write: it exists and is not a regular file; name another path");
    }
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0) {
        fail("cannot create the file", errno);
    }
}

AtomicFile::~AtomicFile() {
    discard();
}

void AtomicFile::write(const void* data, std::size_t size) {
    // Linux writes at most 2 GiB at once.
    constexpr std::size_t largest_piece = std::size_t{1} << 30;
    const char* next = static_cast<const char*>(data);
    while (size > 0) {
        const ssize_t written = ::write(descriptor_, next, std::min(size, largest_piece));
        if (written < 0) {
            if (errno == EINTR) {
                continue;
            }
            fail("cannot write", errno);
        }
        next += written;
        size -= static_cast<std::size_t>(written);
    }
}

void AtomicFile::commit() {
    if (::fsync(descriptor_) != 0) {
        fail("cannot write", errno);
    }
    const int closed = ::close(descriptor_);
    descriptor_ = -1;
    if (closed != 0) {
        fail("cannot write", errno);
    }
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
        fail("cannot rename " + temporary_, errno);
    }
    temporary_.clear();
    // Some file systems cannot fsync a directory; the file itself is safe by now, so that is no error.
    const int directory = ::open(directory_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
        ::fsync(directory);
        ::close(directory);
    }
}

void AtomicFile::fail(const std::string& what, int error_number) {
    discard();
    throw Error(ExitCode::output,
                path_ + ": " + what + ": " + errno_text(error_number) + "; " + advice(path_, error_number));
}

void AtomicFile::discard() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
        descriptor_ = -1;
    }
    if (!temporary_.empty()) {
        ::unlink(temporary_.c_str());
        temporary_.clear();
    }
}

void write_file_atomically(const std::string& path, std::string_view content) {
    AtomicFile file(path);
    file.write(content.data(), content.size());
    file.commit();
}

}  // namespace softalign
