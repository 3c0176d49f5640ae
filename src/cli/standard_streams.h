#pragma once

#include <memory>
#include <streambuf>

namespace softalign {

// While it lives, std::cout and std::cerr write directly to their descriptors, and wait if those are non-blocking. C's
// stdio, through which they go otherwise, loses what such a descriptor does not accept at once.
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
