#pragma once

#include <memory>
#include <streambuf>

namespace softalign {

// While it lives, std::cout and std::cerr write to their descriptors themselves and wait where those are non-blocking:
// C's files, which they go through otherwise, lose what such a descriptor does not take at once.
class StandardStreams {
public:
    StandardStreams();
    ~StandardStreams();
    StandardStreams(const StandardStreams&) = delete;
    StandardStreams& operator=(const StandardStreams&) = delete;

private:
    std::unique_ptr<std::streambuf> out_;
    std::unique_ptr<std::streambuf> err_;
    std::streambuf* earlier_out_;
    std::streambuf* earlier_err_;
};

}  // namespace softalign
