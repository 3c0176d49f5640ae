#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <cstddef>
#include <string>

namespace softalign {

// A pipe of which no end blocks.
class NonBlockingPipe {
public:
    NonBlockingPipe() { EXPECT_EQ(::pipe2(ends_, O_NONBLOCK | O_CLOEXEC), 0); }
    ~NonBlockingPipe() {
        ::close(ends_[0]);
        close_to_write();
    }
    NonBlockingPipe(const NonBlockingPipe&) = delete;
    NonBlockingPipe& operator=(const NonBlockingPipe&) = delete;

    int to_read() const { return ends_[0]; }
    int to_write() const { return ends_[1]; }

    // Lets the reader see the end.
    void close_to_write() {
        if (ends_[1] >= 0) {
            ::close(ends_[1]);
        }
        ends_[1] = -1;
    }

private:
    int ends_[2] = {-1, -1};
};

// One that is full: the next write would block.
class FullPipe : public NonBlockingPipe {
public:
    FullPipe() {
        const std::string filling(4096, '.');
        for (ssize_t count = 0; (count = ::write(to_write(), filling.data(), filling.size())) > 0;) {
            filled_ += static_cast<std::size_t>(count);
        }
    }

    // Empties it, and then reads so many bytes, which it waits for; fewer where the writers end before.
    std::string read_behind(std::size_t size) const {
        std::string text;
        char buffer[4096];
        while (text.size() < filled_ + size) {
            const ssize_t count = ::read(to_read(), buffer, sizeof buffer);
            if (count > 0) {
                text.append(buffer, static_cast<std::size_t>(count));
            } else if (count == 0) {
                break;
            } else {
                struct pollfd waiting {
                    to_read(), POLLIN, 0
                };
                ::poll(&waiting, 1, -1);
            }
        }
        return text.substr(filled_);
    }

private:
    std::size_t filled_ = 0;
};

}  // namespace softalign
