#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/line_reader.h"

namespace softalign {

// Word vectors in fastText's text format, plain or gzip: the line "N D", then N lines of a word and its D numbers, with
// spaces between them. Numbers are the same in every locale.
class WordVectors {
public:
    // Throws Error(data): what cannot be read, or has no such first line.
    explicit WordVectors(const std::string& path);

    // The next word and its vector; false after the last one. Throws Error(data), naming file and line: a line that is
    // not of this form, a number that is not finite, more or fewer lines than N.
    bool next();

    std::int64_t count() const { return count_; }  // N
    std::int64_t width() const { return width_; }  // D
    const std::string& word() const { return word_; }
    const std::vector<float>& vector() const { return vector_; }

    // "FILE:LINE: " for messages about the last line.
    std::string place() const;

private:
    LineReader reader_;
    std::int64_t count_ = 0;
    std::int64_t width_ = 0;
    std::string line_;
    std::string word_;
    std::vector<float> vector_;
};

}  // namespace softalign
