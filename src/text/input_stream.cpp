#include "text/line_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"

namespace softalign {

namespace {

constexpr std::size_t buffer_size = 1 << 17;
constexpr Bytef gzip_magic[2] = {0x1F, 0x8B};

}  // namespace

class InputStream::Impl {
public:
    Impl(const std::string& path, const Interrupt* interrupt)
        : name_(path == "-" ? "standard input" : path), interrupt_(interrupt), buffer_(buffer_size) {
        descriptor_ = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (descriptor_ < 0) {
            throw Error(ExitCode::data, name_ + ": cannot open the file: " + errno_text(errno));
        }
        struct stat status {};
        const bool known = ::fstat(descriptor_, &status) == 0;
        is_regular_file_ = known && S_ISREG(status.st_mode);
        if (known && S_ISDIR(status.st_mode)) {
            close();
            throw Error(ExitCode::data, name_ + ": is a directory; give a text file");
        }
    }

    ~Impl() {
        if (gzip_) {
            inflateEnd(&inflater_);
        }
        close();
    }

    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    std::size_t read(char* out, std::size_t size) {
        if (!started_) {
            started_ = true;
            if (at_gzip_member()) {
                start_gzip();
            }
        }
        return gzip_ ? read_gzip(out, size) : read_plain(out, size);
    }

    const std::string& name() const { return name_; }
    bool is_regular_file() const { return is_regular_file_; }

private:
    void close() {
        if (descriptor_ > STDERR_FILENO) {
            ::close(descriptor_);
        }
        descriptor_ = -1;
    }

    // Adds what one system call gives to the buffer. False at the end of the file.
    bool refill() {
        if (begin_ == end_) {
            begin_ = end_ = 0;
        } else if (end_ == buffer_.size()) {
            std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
            end_ -= begin_;
            begin_ = 0;
        }
        ssize_t count = 0;
        do {
            if (interrupt_ != nullptr && !interrupt_->wait_readable(descriptor_)) {
                return false;
            }
            count = interrupt_ != nullptr ? ::read(descriptor_, buffer_.data() + end_, buffer_.size() - end_)
                                          : read_some(descriptor_, buffer_.data() + end_, buffer_.size() - end_);
        } while (count < 0 && (errno == EINTR || not_ready(errno)));
        if (count < 0) {
            const int reason = errno;
            throw Error(ExitCode::data, name_ + ": cannot read " +
                                            (reason == EBADF ? "it: it is closed" : "the file: " + errno_text(reason)));
        }
        end_ += static_cast<std::size_t>(count);
        return count > 0;
    }

    bool at_gzip_member() {
        while (end_ - begin_ < 2) {
            if (begin_ < end_ && buffer_[begin_] != gzip_magic[0]) {
                return false;
            }
            if (!refill()) {
                return false;
            }
        }
        return buffer_[begin_] == gzip_magic[0] && buffer_[begin_ + 1] == gzip_magic[1];
    }

    std::size_t read_plain(char* out, std::size_t size) {
        if (begin_ == end_ && !refill()) {
            return 0;
        }
        const std::size_t count = std::min(size, end_ - begin_);
        std::memcpy(out, buffer_.data() + begin_, count);
        begin_ += count;
        return count;
    }

    void start_gzip() {
        constexpr int largest_window_with_gzip_header = 15 + 16;
        if (inflateInit2(&inflater_, largest_window_with_gzip_header) != Z_OK) {
            throw Error(ExitCode::internal, "zlib could not be started");
        }
        gzip_ = true;
    }

    std::size_t read_gzip(char* out, std::size_t size) {
        inflater_.next_out = reinterpret_cast<Bytef*>(out);
        inflater_.avail_out = static_cast<uInt>(size);
        while (inflater_.avail_out == size && !finished_) {
            if (begin_ == end_ && !refill()) {
                throw Error(ExitCode::data, name_ + ": the gzip data ends early; the file is truncated, copy it again");
            }
            inflater_.next_in = buffer_.data() + begin_;
            inflater_.avail_in = static_cast<uInt>(end_ - begin_);
            const int result = inflate(&inflater_, Z_NO_FLUSH);
            begin_ = end_ - inflater_.avail_in;
            if (result == Z_STREAM_END) {
                next_member();
            } else if (result != Z_OK && result != Z_BUF_ERROR) {
                damaged(inflater_.msg != nullptr ? inflater_.msg : "not valid");
            }
        }
        return size - inflater_.avail_out;
    }

    // Another member may follow, or the zero bytes that tapes and some tools pad with.
    void next_member() {
        if (at_gzip_member()) {
            inflateReset(&inflater_);
            return;
        }
        finished_ = true;
        if (begin_ < end_ && buffer_[begin_] != 0) {
            damaged("what follows the compressed text is not gzip");
        }
    }

    [[noreturn]] void damaged(const std::string& how) const {
        throw Error(ExitCode::data, name_ + ": the gzip data is damaged (" + how + "); copy the file again");
    }

    std::string name_;
    const Interrupt* interrupt_;
    int descriptor_ = -1;
    bool is_regular_file_ = false;
    std::vector<Bytef> buffer_;
    std::size_t begin_ = 0;  // of what is read and not yet handed out
    std::size_t end_ = 0;
    bool started_ = false;
    bool gzip_ = false;
    bool finished_ = false;  // behind the last gzip member
    z_stream inflater_{};
};

InputStream::InputStream(const std::string& path, const Interrupt* interrupt)
    : impl_(std::make_unique<Impl>(path, interrupt)) {}
InputStream::~InputStream() = default;
InputStream::InputStream(InputStream&&) noexcept = default;
InputStream& InputStream::operator=(InputStream&&) noexcept = default;

std::size_t InputStream::read(char* out, std::size_t size) {
    return impl_->read(out, size);
}

const std::string& InputStream::name() const {
    return impl_->name();
}

bool InputStream::is_regular_file() const {
    return impl_->is_regular_file();
}

}  // namespace softalign
