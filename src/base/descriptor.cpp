#include "base/descriptor.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

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

}  // namespace softalign
