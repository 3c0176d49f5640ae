#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/atomic_file.h"

namespace softalign {

// Writes lines. A file appears whole when `close` is called, or not at all; standard output ("-"), pipes and devices
// get the data at each flush. Every member throws Error(output) if the data cannot be written, and Error(reader_gone)
// if the reader of a pipe has gone away (and SIGPIPE is ignored).
class TextOutput {
public:
    explicit TextOutput(const std::string& path);
    ~TextOutput();
    TextOutput(const TextOutput&) = delete;
    TextOutput& operator=(const TextOutput&) = delete;

    // `line` without its line break.
    void write_line(std::string_view line);
    void write(std::string_view text);

    // Writes out what is buffered.
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
