#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"

namespace softalign {

void require(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "does not hold: %s\n", what);
        std::abort();
    }
}

void require_message(const Error& error) {
    const std::string_view message = error.what();
    require(!message.empty(), "an error has a message");
    require(first_invalid_utf8(message) == 0, "a message is UTF-8");
    require(error.code() != ExitCode::internal, "what is wrong with an input is no fault of the program");
}

MemoryFile::MemoryFile() : descriptor_(::memfd_create("input", MFD_CLOEXEC)) {
    require(descriptor_ >= 0, "a file in memory can be made");
    path_ = "/proc/self/fd/" + std::to_string(descriptor_);
}

MemoryFile::~MemoryFile() {
    ::close(descriptor_);
}

const std::string& MemoryFile::hold(std::string_view bytes) {
    const bool held = ::ftruncate(descriptor_, 0) == 0 &&
                      ::pwrite(descriptor_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
    require(held, "a file in memory can be written");
    return path_;
}

std::vector<std::string_view> cut(std::string_view input, std::size_t parts) {
    constexpr std::string_view mark = "====\n";
    std::vector<std::string_view> pieces;
    std::size_t begin = 0;
    while (pieces.size() + 1 < parts) {
        std::size_t at = input.find(mark, begin);
        while (at != std::string_view::npos && at > begin && input[at - 1] != '\n') {
            at = input.find(mark, at + 1);
        }
        if (at == std::string_view::npos) {
            break;
        }
        pieces.push_back(input.substr(begin, at - begin));
        begin = at + mark.size();
    }
    pieces.push_back(input.substr(begin));
    pieces.resize(parts);
    return pieces;
}

}  // namespace softalign
