#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/input_stream.h"

namespace softalign {

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
