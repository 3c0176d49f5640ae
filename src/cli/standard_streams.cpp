#include "cli/files.h"

#include <unistd.h>

#include <cstddef>
#include <iostream>
#include <memory>
#include <streambuf>
#include <string>

#include "base/files.h"

namespace softalign {

namespace {

// A terminal gets every line when it is whole.
class DescriptorBuffer : public std::streambuf {
public:
    explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor), terminal_(::isatty(descriptor) == 1) {}

protected:
    int_type overflow(int_type byte) override {
        if (traits_type::eq_int_type(byte, traits_type::eof())) {
            return traits_type::not_eof(byte);
        }
        const char one = traits_type::to_char_type(byte);
        return xsputn(&one, 1) == 1 ? byte : traits_type::eof();
    }

    std::streamsize xsputn(const char* text, std::streamsize size) override {
        buffer_.append(text, static_cast<std::size_t>(size));
        const bool line_ended = terminal_ && buffer_.find('\n') != std::string::npos;
        return (line_ended || buffer_.size() >= limit) && sync() != 0 ? 0 : size;
    }

    int sync() override {
        const bool written = write_all(descriptor_, buffer_.data(), buffer_.size());
        buffer_.clear();
        return written ? 0 : -1;
    }

private:
    static constexpr std::size_t limit = 1 << 16;

    int descriptor_;
    bool terminal_;
    std::string buffer_;
};

}  // namespace

StandardStreams::StandardStreams()
    : out_(std::make_unique<DescriptorBuffer>(STDOUT_FILENO)),
      err_(std::make_unique<DescriptorBuffer>(STDERR_FILENO)),
      earlier_out_(std::cout.rdbuf(out_.get())),
      earlier_err_(std::cerr.rdbuf(err_.get())) {}

StandardStreams::~StandardStreams() {
    std::cout.flush();
    std::cerr.flush();
    std::cout.rdbuf(earlier_out_);
    std::cerr.rdbuf(earlier_err_);
}

}  // namespace softalign
