#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace softalign {

// Lets one thread stop another that is waiting to read from a pipe or a terminal. Once raised, it stays raised.
class Interrupt {
public:
    // Throws Error(internal) if the system has no file descriptor left.
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    // May be called from any thread, any number of times.
    void raise();

    // Waits until `descriptor` can be read without blocking (true) or until this has been raised (false).
    bool wait_readable(int descriptor) const;

private:
    int ends_[2];  // a pipe: read end, write end
};

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

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";  // U+FEFF in UTF-8

// Whether the byte order mark at the start of a file is left out, or part of the first line.
enum class ByteOrderMark { drop, keep };

// The lines of a text file, plain or gzip, one after another. A line ends with LF or CRLF and with nothing else (U+2028
// and a lone CR are text); NUL is a byte like any other.
class LineReader {
public:
    // "-" is standard input. Throws Error(data): missing, unreadable, a directory. Once `interrupt` is raised, the text
    // ends where it has been read to. REQUIRES: it outlives this.
    explicit LineReader(const std::string& path, const Interrupt* interrupt = nullptr,
                        ByteOrderMark mark = ByteOrderMark::drop);

    // The next line without its end. False after the last one. Throws Error(data), naming file and line, where the
    // file cannot be read on. Does not look at the encoding.
    bool next(std::string& line);

    // Throws Error(data) naming file, line and byte column if `line`, the one read last, is not UTF-8.
    void require_utf8(const std::string& line) const;

    // 1-based number of the line read last; after the end, how many lines there are.
    std::int64_t line_number() const { return line_number_; }

    const std::string& name() const { return input_.name(); }

    // "FILE:LINE", of the line read last.
    std::string place() const;

    // Whether the text is all there: a file, and no pipe, terminal or other device.
    bool is_regular_file() const { return input_.is_regular_file(); }

private:
    bool fill();

    InputStream input_;
    const ByteOrderMark mark_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::int64_t line_number_ = 0;
};

}  // namespace softalign
