#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/atomic_file.h"

namespace softalign {

// Lines on their way out. A file appears whole when `close` is called, or not at all; standard output ("-"), pipes and
// devices get what is there at each flush. Every member throws Error(output) where the data cannot be written, and
// Error(reader_gone) where nobody reads a pipe any more (and SIGPIPE is ignored).
class TextOutput {
public:
    explicit TextOutput(const std::string& path);
    ~TextOutput();
    TextOutput(const TextOutput&) = delete;
    TextOutput& operator=(const TextOutput&) = delete;

    // `line` without its end.
    void write_line(std::string_view line);

    // Hands on what is buffered.
    void flush();

    // Finishes the output. REQUIRES: called once, nothing written afterwards.
    void close();

private:
    void write_out(const char* data, std::size_t size);

    std::string name_;
    std::unique_ptr<AtomicFile> file_;  // null for standard output, pipes and devices
    int descriptor_ = -1;               // of those
    std::string buffer_;
};

}  // namespace softalign
