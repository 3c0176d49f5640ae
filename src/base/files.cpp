#include "base/files.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/error.h"

namespace softalign {

namespace {

constexpr std::size_t largest_transfer = std::size_t{1} << 30;  // Linux moves at most 2 GiB at once

// After a failed call: whether it is to be made again, for which it waits until the descriptor is ready.
bool try_again(int descriptor, short events) {
    if (errno == EINTR) {
        return true;
    }
    if (!not_ready(errno)) {
        return false;
    }
    struct pollfd waiting {
        descriptor, events, 0
    };
    while (::poll(&waiting, 1, -1) < 0) {
        if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

}  // namespace

bool not_ready(int error_number) {
    return error_number == EAGAIN || error_number == EWOULDBLOCK;
}

ssize_t read_some(int descriptor, void* data, std::size_t size) {
    ssize_t count = 0;
    do {
        count = ::read(descriptor, data, std::min(size, largest_transfer));
    } while (count < 0 && try_again(descriptor, POLLIN));
    return count;
}

ssize_t write_some(int descriptor, const void* data, std::size_t size) {
    ssize_t count = 0;
    do {
        count = ::write(descriptor, data, std::min(size, largest_transfer));
    } while (count < 0 && try_again(descriptor, POLLOUT));
    return count;
}

bool write_all(int descriptor, const char* data, std::size_t size) {
    while (size > 0) {
        const ssize_t count = write_some(descriptor, data, size);
        if (count < 0) {
            return false;
        }
        data += count;
        size -= static_cast<std::size_t>(count);
    }
    return true;
}

namespace {

// The mappings that there are: begin -> bytes.
class Mappings {
public:
    static Mappings& all() {
        static Mappings* const mappings = new Mappings;  // never destroyed: tensors may outlive static objects
        return *mappings;
    }

    void add(std::uintptr_t begin, std::size_t bytes) {
        const std::lock_guard<std::mutex> lock(mutex_);
        sizes_[begin] = bytes;
    }

    void remove(std::uintptr_t begin) {
        const std::lock_guard<std::mutex> lock(mutex_);
        sizes_.erase(begin);
    }

    void let_go(std::uintptr_t begin, std::uintptr_t end) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto next = sizes_.upper_bound(begin);
        if (next == sizes_.begin()) {
            return;
        }
        const auto& [first, bytes] = *std::prev(next);
        const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
        begin = (begin + page - 1) / page * page;
        end = end / page * page;
        if (end <= first + bytes && begin < end) {
            ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
        }
    }

private:
    std::mutex mutex_;
    std::map<std::uintptr_t, std::size_t> sizes_;
};

// A new mapping, which let_go_of_mapped knows as long as the pointer lasts.
std::shared_ptr<char> registered(char* begin, std::size_t bytes) {
    Mappings::all().add(reinterpret_cast<std::uintptr_t>(begin), bytes);
    return {begin, [bytes](char* address) {
                Mappings::all().remove(reinterpret_cast<std::uintptr_t>(address));
                ::munmap(address, bytes);
            }};
}

}  // namespace

std::shared_ptr<char> map_file(int descriptor, std::size_t bytes) {
    void* const begin = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
    if (begin == MAP_FAILED) {
        return nullptr;
    }
    return registered(static_cast<char*>(begin), bytes);
}

std::shared_ptr<const char> map_file_to_read(int descriptor, std::size_t bytes) {
    void* const begin = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
    if (begin == MAP_FAILED) {
        return nullptr;
    }
    ::madvise(begin, bytes, MADV_RANDOM);
    return registered(static_cast<char*>(begin), bytes);
}

void read_ahead_of_mapped(const void* begin, std::size_t bytes) {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto first = reinterpret_cast<std::uintptr_t>(begin) / page * page;
    const auto end = reinterpret_cast<std::uintptr_t>(begin) + bytes;
    ::madvise(reinterpret_cast<void*>(first), end - first, MADV_WILLNEED);  // advice: whether it is taken is no matter
}

void let_go_of_mapped(const void* begin, std::size_t bytes) {
    const auto from = reinterpret_cast<std::uintptr_t>(begin);
    Mappings::all().let_go(from, from + bytes);
}

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
