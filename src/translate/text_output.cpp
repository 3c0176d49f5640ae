#include "translate/text_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/files.h"
#include "base/strings.h"

namespace softalign {

namespace {

constexpr std::size_t buffer_limit = 1 << 16;

// Something that is there and cannot be replaced by a new file.
bool is_pipe_or_device(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

// The open descriptor that a path such as /dev/stderr or /dev/fd/3 names, or -1. Where it is a regular file, a shell
// has opened it and others write to it too: it is written to, not replaced.
int open_descriptor(const std::string& path) {
    if (path == "/dev/stdout") {
        return STDOUT_FILENO;
    }
    if (path == "/dev/stderr") {
        return STDERR_FILENO;
    }
    for (const std::string folder : {"/dev/fd/", "/proc/self/fd/"}) {
        const std::string number = starts_with(path, folder) ? path.substr(folder.size()) : "";
        if (number.size() < 8 && is_digits(number)) {
            return std::stoi(number);
        }
    }
    return -1;
}

}  // namespace

TextOutput::TextOutput(const std::string& path) : name_(path == "-" ? "<standard output>" : path) {
    if (path == "-") {
        descriptor_ = STDOUT_FILENO;
    } else if (const int open = open_descriptor(path); open >= 0) {
        descriptor_ = ::fcntl(open, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (descriptor_ < 0) {
            throw Error(ExitCode::output, name_ + ": cannot open it for writing: " + errno_text(errno));
        }
    } else if (is_pipe_or_device(path)) {
        descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor_ < 0) {
            throw Error(ExitCode::output, name_ + ": cannot open it for writing: " + errno_text(errno));
        }
    } else {
        file_ = std::make_unique<AtomicFile>(path);
    }
}

TextOutput::~TextOutput() {
    if (descriptor_ > STDERR_FILENO) {
        ::close(descriptor_);
    }
}

void TextOutput::write_line(std::string_view line) {
    buffer_.append(line);
    write("\n");
}

void TextOutput::write(std::string_view text) {
    buffer_.append(text);
    if (buffer_.size() >= buffer_limit) {
        flush();
    }
}

void TextOutput::flush() {
    if (file_) {
        file_->write(buffer_.data(), buffer_.size());
    } else {
        write_out(buffer_.data(), buffer_.size());
    }
    buffer_.clear();
}

void TextOutput::write_out(const char* data, std::size_t size) {
    if (write_all(descriptor_, data, size)) {
        return;
    }
    const int reason = errno;
    if (reason == EPIPE) {
        throw Error(ExitCode::reader_gone, name_ + ": the program that reads it has ended");
    }
    throw Error(ExitCode::output, name_ + ": cannot write: " + (reason == EBADF ? "it is closed" : errno_text(reason)));
}

void TextOutput::close() {
    flush();
    if (file_) {
        file_->commit();
    } else if (descriptor_ > STDERR_FILENO) {
        const int closed = ::close(descriptor_);
        descriptor_ = -1;
        if (closed != 0) {
            throw Error(ExitCode::output, name_ + ": cannot write: " + errno_text(errno));
        }
    }
}

}  // namespace softalign
