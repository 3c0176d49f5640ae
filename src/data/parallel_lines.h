#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/config.h"
#include "data/source_lines.h"
#include "text/line_reader.h"

namespace softalign {

// Reads a source and its translation, plain or gzip: line n of one belongs to line n of the other.
class ParallelLines {
public:
    // "-" is standard input. Throws Error(data): missing, unreadable, a directory.
    ParallelLines(const std::string& source, const std::string& target, SourceType type = SourceType::text);

    // The next pair; false after the last. Throws Error(data), naming file and line, for what cannot be read or is not
    // UTF-8, and with both line counts if they differ.
    bool next(std::string& source, std::string& target);

private:
    SourceLines source_;
    LineReader target_;
};

// "train.de has 29000 lines"
std::string count_of_lines(const std::vector<std::string>& files, std::int64_t lines);

// The error for sides of different lengths; the arguments are count_of_lines of each.
Error unequal_sides(const std::string& source_says, const std::string& target_says);

}  // namespace softalign
