#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace softalign {

class Interrupt;

// The bytes of a file, a pipe or a FIFO. Gzip data are decompressed; they are recognised by their first two bytes, not
// by the name, and several members are read as one. Never waits for more than one read() returns, so that text typed
// into standard input is processed line by line.
class InputStream {
public:
    // "-" is standard input. Throws Error(data): missing, unreadable, a directory. Once `interrupt` is raised, the
    // stream ends where reading has got to. REQUIRES: it outlives this.
    explicit InputStream(const std::string& path, const Interrupt* interrupt = nullptr);
    ~InputStream();
    InputStream(InputStream&&) noexcept;
    InputStream& operator=(InputStream&&) noexcept;

    // Reads up to `size` bytes, and at least one unless the stream has ended. Throws Error(data): a read failed, or the
    // gzip data are damaged or truncated.
    std::size_t read(char* out, std::size_t size);

    // The path, or "standard input".
    const std::string& name() const;

    // Whether this is a regular file rather than a pipe, terminal or other device.
    bool is_regular_file() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace softalign
