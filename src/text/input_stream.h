#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace softalign {

class Interrupt;

// The bytes of a file, a pipe or a FIFO, unpacked where they are gzip (told by the first two bytes, not by the name;
// several members read as one). Reads no further ahead than the system call gives, so that a person typing into
// standard input is served line by line.
class InputStream {
public:
    // "-" is standard input. Throws Error(data): missing, unreadable, a directory. Once `interrupt` is raised, the
    // stream ends where it has been read to. REQUIRES: it outlives this.
    explicit InputStream(const std::string& path, const Interrupt* interrupt = nullptr);
    ~InputStream();
    InputStream(InputStream&&) noexcept;
    InputStream& operator=(InputStream&&) noexcept;

    // Up to `size` bytes, at least one unless the stream is at its end. Throws Error(data): a read failed, or the gzip
    // data is damaged or ends early.
    std::size_t read(char* out, std::size_t size);

    // The path, or "standard input".
    const std::string& name() const;

    // Whether it is a file, and no pipe, terminal or other device.
    bool is_regular_file() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace softalign
