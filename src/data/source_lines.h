#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/config.h"
#include "text/line_reader.h"

namespace softalign {

// The sentences of a source file, one after another. Of text they are its lines. Of features they are the names of
// arrays (data/feature_array.h): the lines of a text file, whose relative paths are seen from its folder, or the
// elements of one .npy file.
class SourceLines {
public:
    // "-" is standard input: text, or a list. Throws Error(data) as LineReader and read_npy do, and for a .npy file
    // whose shape is not [N,S,D] or [N,H,W,D]. Once `interrupt` is raised, the file ends where it has been read to.
    // REQUIRES: it outlives this.
    SourceLines(const std::string& path, SourceType type, const Interrupt* interrupt = nullptr);

    // The next one; false after the last. Throws Error(data) as LineReader does.
    bool next(std::string& line);

    // Throws Error(data) naming file, line and byte column if `line`, the one read last, is not UTF-8.
    void require_utf8(const std::string& line) const;

    // 1-based number of the one read last; after the end, how many there are.
    std::int64_t line_number() const;

    const std::string& name() const;

    // "list.txt:3", or empty for an element of a .npy file, whose name says where it is.
    std::string place() const;

    // An error of the array read last, with its place in front if it is one of the data.
    Error at_place(const Error& error) const;

    bool is_regular_file() const;

private:
    std::unique_ptr<LineReader> lines_;  // null for a .npy file
    std::string path_;
    std::string folder_;  // of a list, with a slash at its end; empty for the current folder
    bool is_list_ = false;
    std::int64_t elements_ = 0;  // of a .npy file
    std::int64_t next_ = 0;
};

// All of them, which must be UTF-8.
std::vector<std::string> read_sources(const std::string& path, SourceType type);

// D of the first array of a file of features. Throws Error(data) as SourceLines and FeatureArray do, and if there is
// none.
std::int64_t feature_depth(const std::string& path);

}  // namespace softalign
