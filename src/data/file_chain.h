#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "config/config.h"
#include "data/parallel_lines.h"
#include "data/source_lines.h"

namespace softalign {

// Several files as one long one.
class FileChain {
public:
    explicit FileChain(std::vector<std::string> files, SourceType type = SourceType::text)
        : files_(std::move(files)), type_(type) {
        open();
    }

    bool next(std::string& line) {
        while (!reader_->next(line)) {
            if (reader_->line_number() == 0) {
                throw Error(ExitCode::data,
                            reader_->name() + ": the file is empty; it must have one sentence per line");
            }
            if (at_ == files_.size()) {
                return false;
            }
            open();
        }
        ++lines_;
        return true;
    }

    const SourceLines& reader() const { return *reader_; }

    // The lines of all files. With `checked`, throws at the first of those left that is not UTF-8.
    std::int64_t count_to_end(bool checked = false) {
        for (std::string line; next(line);) {
            if (checked) {
                reader_->require_utf8(line);
            }
        }
        return lines_;
    }

    std::string says() const { return count_of_lines(files_, lines_); }

private:
    void open() { reader_ = std::make_unique<SourceLines>(files_[at_++], type_); }

    std::vector<std::string> files_;
    SourceType type_;
    std::size_t at_ = 0;
    std::unique_ptr<SourceLines> reader_;
    std::int64_t lines_ = 0;
};

// The files of both sides that belong together: one by one where there are as many, otherwise all of them.
using FilePair = std::pair<std::vector<std::string>, std::vector<std::string>>;
inline std::vector<FilePair> parts_of(const std::vector<std::string>& source, const std::vector<std::string>& target) {
    if (source.size() != target.size()) {
        return {{source, target}};
    }
    std::vector<FilePair> parts;
    for (std::size_t i = 0; i < source.size(); ++i) {
        parts.push_back({{source[i]}, {target[i]}});
    }
    return parts;
}

}  // namespace softalign
