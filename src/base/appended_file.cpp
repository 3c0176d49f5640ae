#include "base/appended_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/files.h"

namespace softalign {

AppendedFile::AppendedFile(const std::string& path) : path_(path) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor_ < 0) {
        throw Error(ExitCode::output, path + ": cannot open: " + errno_text(errno) +
                                          "; choose a directory that you may write to, or change its permissions");
    }
    sync_directory_of(path);
}

AppendedFile::~AppendedFile() {
    write("");
    ::close(descriptor_);
}

bool AppendedFile::sync() {
    if (!write("")) {
        return false;
    }
    if (::fsync(descriptor_) != 0) {
        reason_ = errno_text(errno);
        return false;
    }
    return true;
}

std::string AppendedFile::content() const {
    std::ifstream file(path_, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()} + kept_;
}

void AppendedFile::cut(std::size_t size) {
    const off_t end = ::lseek(descriptor_, 0, SEEK_END);
    const std::size_t written = end > 0 ? static_cast<std::size_t>(end) : 0;
    kept_.resize(std::min(kept_.size(), size > written ? size - written : 0));
    if (size < written && ::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) {
        throw Error(ExitCode::output, path_ + ": cannot be cut: " + errno_text(errno) + "; check the disk");
    }
}

bool AppendedFile::write(std::string_view record) {
    kept_ += record;
    while (!kept_.empty()) {
        const ssize_t count = write_some(descriptor_, kept_.data(), kept_.size());
        if (count < 0) {
            reason_ = errno_text(errno);
            return false;
        }
        kept_.erase(0, static_cast<std::size_t>(count));
    }
    return true;
}

}  // namespace softalign
