#include "text/line_reader.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.h"
#include "base/strings.h"

namespace softalign {

Interrupt::Interrupt() {
    if (::pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0) {
        throw Error(ExitCode::internal, "no pipe could be made: " + errno_text(errno));
    }
}

Interrupt::~Interrupt() {
    ::close(ends_[0]);
    ::close(ends_[1]);
}

void Interrupt::raise() {
    // A byte that nobody takes out keeps the pipe readable; one that finds no room is not needed.
    const char byte = 0;
    while (::write(ends_[1], &byte, 1) < 0 && errno == EINTR) {
    }
}

bool Interrupt::wait_readable(int descriptor) const {
    struct pollfd waiting[2] = {{ends_[0], POLLIN, 0}, {descriptor, POLLIN, 0}};
    while (::poll(waiting, 2, -1) < 0 && errno == EINTR) {
    }
    // Where poll itself fails, the read tells what is wrong with the descriptor.
    return waiting[0].revents == 0;
}

namespace {

constexpr std::size_t block_size = 1 << 17;

}  // namespace

LineReader::LineReader(const std::string& path, const Interrupt* interrupt, ByteOrderMark mark)
    : input_(path, interrupt), mark_(mark), buffer_(block_size) {}

bool LineReader::fill() {
    begin_ = 0;
    end_ = 0;
    try {
        end_ = input_.read(buffer_.data(), buffer_.size());
    } catch (const Error& error) {
        const std::string place = line_number_ > 0 ? " (after line " + std::to_string(line_number_) + ")" : "";
        throw Error(error.code(), error.what() + place);
    }
    return end_ > 0;
}

bool LineReader::next(std::string& line) {
    line.clear();
    bool ended = false;  // by a line feed
    while (!ended && (begin_ < end_ || fill())) {
        const char* start = buffer_.data() + begin_;
        const void* feed = std::memchr(start, '\n', end_ - begin_);
        ended = feed != nullptr;
        const std::size_t length =
            ended ? static_cast<std::size_t>(static_cast<const char*>(feed) - start) : end_ - begin_;
        line.append(start, length);
        begin_ += length + (ended ? 1 : 0);
    }
    if (!ended && line.empty()) {
        return false;
    }
    if (!line.empty() && line.back() == '\r') {
        line.pop_back();
    }
    if (mark_ == ByteOrderMark::drop && line_number_ == 0 && starts_with(line, byte_order_mark)) {
        line.erase(0, byte_order_mark.size());
        if (!ended && line.empty()) {
            return false;
        }
    }
    ++line_number_;
    return true;
}

std::string LineReader::place() const {
    return name() + ":" + std::to_string(line_number_);
}

void LineReader::require_utf8(const std::string& line) const {
    const std::size_t column = first_invalid_utf8(line);
    if (column == 0) {
        return;
    }
    constexpr char digits[] = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(line[column - 1]);
    throw Error(ExitCode::data, place() + ":" + std::to_string(column) + ": invalid UTF-8 (byte 0x" +
                                    digits[byte >> 4] + digits[byte & 15] +
                                    "); convert the file to UTF-8, for example with iconv");
}

}  // namespace softalign
