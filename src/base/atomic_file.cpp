#include "base/atomic_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/files.h"
#include "base/strings.h"
#include "base/temporary.h"

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

constexpr const char* temporary_mark = ".tmp-";

std::string temporary_name(const std::string& path, unsigned number) {
    return path + temporary_mark + std::to_string(number);
}

bool is_temporary_name(const std::string& name) {
    const std::size_t mark = name.rfind(temporary_mark);
    if (mark == std::string::npos) {
        return false;
    }
    return is_digits(name.substr(mark + std::string(temporary_mark).size()));
}

enum class Lock { taken, held_elsewhere, unsupported };

Lock try_lock(int descriptor) {
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
        return Lock::taken;
    }
    return errno == EWOULDBLOCK ? Lock::held_elsewhere : Lock::unsupported;
}

// Whether `path` is a name of the open file: it may have been renamed or removed since it was opened.
bool names(const std::string& path, int descriptor) {
    struct stat named {};
    struct stat open {};
    return ::lstat(path.c_str(), &named) == 0 && ::fstat(descriptor, &open) == 0 && named.st_dev == open.st_dev &&
           named.st_ino == open.st_ino;
}

// Removes a temporary file that no process holds. Whether the name is free now.
bool remove_stale_file(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) {
        return errno == ENOENT;
    }
    struct stat status {};
    const bool regular = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    const bool stale = regular && try_lock(descriptor) == Lock::taken && names(path, descriptor);
    const bool removed = stale && ::unlink(path.c_str()) == 0;
    ::close(descriptor);
    return removed;
}

// What the kernel shows an open file as, from which a file without a name can get one.
std::string path_of_descriptor(int descriptor) {
    return "/proc/self/fd/" + std::to_string(descriptor);
}

// Gives a new file the owner, group and mode of the one that it is to replace, as far as the system allows. Where it
// cannot have the group, its own group gets no more than everybody.
void take_over_permissions(int descriptor, const struct stat& replaced) {
    mode_t mode = replaced.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
    const bool has_group = ::fchown(descriptor, replaced.st_uid, replaced.st_gid) == 0 ||
                           ::fchown(descriptor, static_cast<uid_t>(-1), replaced.st_gid) == 0;
    if (!has_group) {
        mode = (mode & ~static_cast<mode_t>(S_IRWXG)) | (mode & static_cast<mode_t>((mode & S_IRWXO) << 3));
    }
    static_cast<void>(::fchmod(descriptor, mode));  // what cannot be changed stays closed to others
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path, Temporary temporary, Link link)
    : path_(link == Link::followed ? target_of(path) : path) {
    struct stat status {};
    const bool exists = ::stat(path.c_str(), &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) {
        throw Error(ExitCode::output, path + ": cannot write: it exists and is not a regular file; name another path");
    }
    if (temporary == Temporary::named || !open_unnamed()) {
        open_named();
    }
    if (exists) {
        take_over_permissions(descriptor_, status);
    }
}

AtomicFile::~AtomicFile() {
    discard();
}

bool AtomicFile::open_unnamed() {
    struct stat status {};
    if (::lstat(temporary_name(path_, 0).c_str(), &status) != 0 && errno == ENAMETOOLONG) {
        return false;  // said now, not when everything has been written
    }
    descriptor_ = ::open(directory_of(path_).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (descriptor_ >= 0 && ::access(path_of_descriptor(descriptor_).c_str(), F_OK) == 0) {
        try_lock(descriptor_);  // for the time when it has a name
        return true;
    }
    discard();
    return false;
}

void AtomicFile::open_named() {
    unsigned number = 0;
    while (true) {
        const std::string name = temporary_name(path_, number);
        if (create(name)) {
            return;
        }
        if (errno != EEXIST) {
            fail("cannot create the file", errno);
        }
        number += remove_stale_file(name) ? 0 : 1;
    }
}

bool AtomicFile::create(const std::string& name) {
    TemporaryNames temporaries;
    descriptor_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) {
        return false;
    }
    if (try_lock(descriptor_) == Lock::held_elsewhere || !names(name, descriptor_)) {
        ::close(descriptor_);  // another process took it for stale before it was locked
        descriptor_ = -1;
        errno = EEXIST;
        return false;
    }
    temporary_ = name;
    temporaries.add(name);
    return true;
}

void AtomicFile::give_name() {
    const std::string unnamed = path_of_descriptor(descriptor_);
    unsigned number = 0;
    while (true) {
        const std::string name = temporary_name(path_, number);
        if (link(unnamed, name)) {
            return;
        }
        if (errno != EEXIST) {
            fail("cannot create " + name, errno);
        }
        number += remove_stale_file(name) ? 0 : 1;
    }
}

bool AtomicFile::link(const std::string& unnamed, const std::string& name) {
    TemporaryNames temporaries;
    if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) {
        return false;
    }
    temporary_ = name;
    temporaries.add(name);
    return true;
}

void AtomicFile::write(const void* data, std::size_t size) {
    if (!write_all(descriptor_, static_cast<const char*>(data), size)) {
        fail("cannot write", errno);
    }
}

void AtomicFile::commit() {
    if (::fsync(descriptor_) != 0) {
        fail("cannot write", errno);
    }
    if (temporary_.empty()) {
        give_name();
    }
    if (!rename()) {
        fail("cannot rename " + temporary_, errno);
    }
    discard();  // open until here, so that nobody took the name for a stale one
    sync_directory_of(path_);
}

bool AtomicFile::rename() {
    TemporaryNames temporaries;
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
        return false;
    }
    temporaries.remove(temporary_);
    temporary_.clear();
    return true;
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
        TemporaryNames temporaries;
        ::unlink(temporary_.c_str());
        temporaries.remove(temporary_);
        temporary_.clear();
    }
}

void write_file_atomically(const std::string& path, std::string_view content, AtomicFile::Link link) {
    AtomicFile file(path, AtomicFile::Temporary::unnamed_if_possible, link);
    file.write(content.data(), content.size());
    file.commit();
}

void sync_directory_of(const std::string& path) {
    const int directory = ::open(directory_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
        ::fsync(directory);
        ::close(directory);
    }
}

void remove_stale_temporaries(const std::string& directory) {
    namespace fs = std::filesystem;
    std::error_code fault;
    for (fs::directory_iterator entry(directory, fault); !fault && entry != fs::directory_iterator();
         entry.increment(fault)) {
        if (is_temporary_name(entry->path().filename().string())) {
            remove_stale_file(entry->path().string());
        }
    }
}

}  // namespace softalign
