#include "base/appended_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"

namespace softalign {

AppendedFile::AppendedFile(const std::string& path) : path_(path) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor_ < 0) {
        throw Error(ExitCode::output, path + ": cannot open: " + errno_text(errno) +
                                          "; choose a directory that you may write to, or change its permissions");
    }
}

AppendedFile::~AppendedFile() {
    write("");
    ::close(descriptor_);
}

bool AppendedFile::write(std::string_view record) {
    kept_ += record;
    while (!kept_.empty()) {
        const ssize_t count = ::write(descriptor_, kept_.data(), kept_.size());
        if (count >= 0) {
            kept_.erase(0, static_cast<std::size_t>(count));
        } else if (errno != EINTR) {
            reason_ = errno_text(errno);
            return false;
        }
    }
    return true;
}

}  // namespace softalign
