#include "base/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/error.h"
#include "base/temporary.h"

namespace softalign {

namespace {

namespace fs = std::filesystem;

// The directory, opened and locked; -1 where another process holds it or it has gone.
int open_locked(const std::string& name) {
    const int descriptor = ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat named {};
    struct stat open {};
    const bool held = descriptor >= 0 && (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
                      ::lstat(name.c_str(), &named) == 0 && ::fstat(descriptor, &open) == 0 &&
                      named.st_dev == open.st_dev && named.st_ino == open.st_ino;
    if (!held && descriptor >= 0) {
        ::close(descriptor);
    }
    return held ? descriptor : -1;
}

// Removes what a killed process left. Whether the name may be free now.
bool remove_stale_directory(const std::string& name) {
    const int descriptor = open_locked(name);
    if (descriptor < 0) {
        return false;
    }
    std::error_code fault;
    fs::remove_all(name, fault);
    ::close(descriptor);
    return !fault;
}

// "a/b" of "a/b/" and "a/b/.".
std::string without_end(const std::string& path) {
    std::string result = path;
    while (result.size() > 1 && (result.back() == '/' || (result.back() == '.' && result[result.size() - 2] == '/'))) {
        result.pop_back();
    }
    return result;
}

void check_replaceable(const std::string& path) {
    std::error_code fault;
    if (!fs::is_directory(path, fault) || !fs::is_empty(path, fault)) {
        throw Error(ExitCode::output, path + " exists already; name a new directory, or remove it first");
    }
    if (fs::equivalent(path, ".", fault)) {
        throw Error(ExitCode::output,
                    path + ": the current directory cannot be replaced; name a new directory, or run this elsewhere");
    }
}

}  // namespace

AtomicDirectory::AtomicDirectory(const std::string& path) : path_(without_end(path)) {
    std::error_code fault;
    if (fs::exists(fs::symlink_status(path_, fault))) {
        check_replaceable(path_);
        path_ = fs::canonical(path_, fault).string();  // so that a link stays
    }
    const fs::path around = fs::path(path_).parent_path();
    fault.clear();
    if (!around.empty() && !fs::create_directories(around, fault) && fault) {
        fail("cannot create the directory", fault.value());
    }
    for (unsigned number = 0;;) {
        const std::string name = path_ + ".tmp-" + std::to_string(number);
        if (create(name)) {
            return;
        }
        if (errno != EEXIST) {
            fail("cannot create the directory", errno);
        }
        number += remove_stale_directory(name) ? 0 : 1;
    }
}

bool AtomicDirectory::create(const std::string& name) {
    TemporaryNames temporaries;
    if (::mkdir(name.c_str(), 0777) != 0) {
        return false;
    }
    descriptor_ = open_locked(name);
    if (descriptor_ < 0) {
        errno = EEXIST;  // another process took it for stale before it was locked
        return false;
    }
    temporary_ = name;
    temporaries.add(name);
    return true;
}

AtomicDirectory::~AtomicDirectory() {
    if (!temporary_.empty()) {
        std::error_code ignored;
        fs::remove_all(temporary_, ignored);
        TemporaryNames().remove(temporary_);
    }
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

void AtomicDirectory::commit() {
    {
        TemporaryNames temporaries;
        if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
            fail("cannot rename " + temporary_, errno);
        }
        temporaries.remove(temporary_);
    }
    temporary_.clear();
    sync_directory_of(path_);
}

void AtomicDirectory::fail(const std::string& what, int error_number) const {
    throw Error(ExitCode::output,
                path_ + ": " + what + ": " + errno_text(error_number) + "; choose a place that you may write to");
}

}  // namespace softalign
