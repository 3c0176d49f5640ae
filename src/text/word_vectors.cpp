#include "text/word_vectors.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/strings.h"

namespace softalign {

namespace {

constexpr std::int64_t widest = 65536;  // as embeddings may be
constexpr std::size_t most_shown = 40;  // bytes of a field, in messages

// The next field of a line, which is taken off; empty at its end.
std::string_view take_field(std::string_view& line) {
    constexpr std::string_view separators = " \t";
    const std::size_t begin = line.find_first_not_of(separators);
    if (begin == std::string_view::npos) {
        line = {};
        return {};
    }
    line.remove_prefix(begin);
    const std::string_view field = line.substr(0, line.find_first_of(separators));
    line.remove_prefix(field.size());
    return field;
}

std::string shown(std::string_view field) {
    return "\"" + terminal_text(field.substr(0, most_shown)) + (field.size() > most_shown ? "…" : "") + "\"";
}

}  // namespace

WordVectors::WordVectors(const std::string& path) : reader_(path) {
    if (!reader_.next(line_)) {
        throw Error(ExitCode::data, reader_.name() + ": the file is empty; word vectors begin with a line \"N D\"");
    }
    std::string_view rest = line_;
    const std::string_view count = take_field(rest);
    const std::string_view width = take_field(rest);
    if (!read_number(count, count_) || !read_number(width, width_) || !take_field(rest).empty() || count_ < 1 ||
        width_ < 1 || width_ > widest) {
        throw Error(ExitCode::data,
                    place() +
                        "expected the number of words and the width of their vectors, such as \"20000 300\", "
                        "found " +
                        shown(line_) + "; this is the first line of fastText's text format (.vec)");
    }
}

bool WordVectors::next() {
    if (!reader_.next(line_)) {
        if (reader_.line_number() != count_ + 1) {
            throw Error(ExitCode::data, reader_.name() + ": its first line says " + std::to_string(count_) +
                                            " words, and there are " + std::to_string(reader_.line_number() - 1) +
                                            "; is the file cut off?");
        }
        return false;
    }
    if (reader_.line_number() > count_ + 1) {
        throw Error(ExitCode::data,
                    place() + "more lines than the " + std::to_string(count_) + " words that the first line says");
    }
    std::string_view rest = line_;
    word_ = rest.substr(0, rest.find_first_of(" \t"));
    if (word_.empty()) {
        throw Error(ExitCode::data, place() + "the line does not begin with a word");
    }
    rest.remove_prefix(word_.size());
    vector_.clear();
    for (std::string_view field = take_field(rest); !field.empty(); field = take_field(rest)) {
        double value = 0.0;
        const bool is_number = read_number(field, value);
        vector_.push_back(static_cast<float>(value));
        if (!is_number || !std::isfinite(vector_.back())) {
            throw Error(ExitCode::data, place() + "number " + std::to_string(vector_.size()) + " of the word " +
                                            shown(word_) + " is " + shown(field) + "; expected a finite number");
        }
    }
    if (static_cast<std::int64_t>(vector_.size()) != width_) {
        throw Error(ExitCode::data, place() + "the word " + shown(word_) + " has " + std::to_string(vector_.size()) +
                                        " numbers; the first line says " + std::to_string(width_));
    }
    return true;
}

std::string WordVectors::place() const {
    return reader_.place() + ": ";
}

}  // namespace softalign
