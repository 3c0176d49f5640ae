#include "data/source_lines.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "data/feature_array.h"
#include "data/npy.h"
#include "text/words.h"

namespace softalign {

namespace fs = std::filesystem;

namespace {

const std::string first_bytes = "\x93NUMPY";  // of a .npy file

// By its name or its first bytes. A pipe is a list: to look at it would take bytes from it.
bool is_npy(const std::string& path) {
    if (fs::path(path).extension() == ".npy") {
        return true;
    }
    std::error_code ignored;
    if (path == "-" || !fs::is_regular_file(path, ignored)) {
        return false;
    }
    std::string bytes(first_bytes.size(), '\0');
    std::ifstream(path, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return bytes == first_bytes;
}

std::string folder_of(const std::string& path) {
    const fs::path folder = path == "-" ? fs::path() : fs::path(path).parent_path();
    return folder.empty() ? "" : (folder / "").string();
}

}  // namespace

SourceLines::SourceLines(const std::string& path, SourceType type, const Interrupt* interrupt) : path_(path) {
    if (type == SourceType::text || !is_npy(path)) {
        lines_ = std::make_unique<LineReader>(path, interrupt);
        is_list_ = type == SourceType::features;
        folder_ = folder_of(path);
        return;
    }
    const NpyArray file = read_npy(path);
    if (file.shape.size() != 3 && file.shape.size() != 4) {
        throw Error(ExitCode::data, path + ": its shape is " + shape_text(file.shape) +
                                        "; a source of features must have [N,S,D] or [N,H,W,D], an array for each of N "
                                        "sentences, or be a text file with the path of one .npy of [S,D] or [H,W,D] on "
                                        "each line");
    }
    elements_ = file.shape.front();
}

bool SourceLines::next(std::string& line) {
    if (lines_ == nullptr) {
        if (next_ == elements_) {
            return false;
        }
        line = path_ + "[" + std::to_string(next_++) + "]";
        return true;
    }
    if (!lines_->next(line)) {
        return false;
    }
    if (is_list_ && !folder_.empty() && !is_blank(line) && line.front() != '/') {
        line.insert(0, folder_);
    }
    return true;
}

void SourceLines::require_utf8(const std::string& line) const {
    if (lines_ != nullptr) {
        lines_->require_utf8(line);
    } else if (const std::size_t column = first_invalid_utf8(line)) {
        throw Error(ExitCode::data,
                    path_ + ": byte " + std::to_string(column) + " of its path is not UTF-8; rename the file");
    }
}

std::int64_t SourceLines::line_number() const {
    return lines_ != nullptr ? lines_->line_number() : next_;
}

const std::string& SourceLines::name() const {
    return lines_ != nullptr ? lines_->name() : path_;
}

std::string SourceLines::place() const {
    return lines_ != nullptr ? lines_->place() : "";
}

Error SourceLines::at_place(const Error& error) const {
    const std::string where = error.code() == ExitCode::data ? place() : "";
    return {error.code(), where + (where.empty() ? "" : ": ") + error.what()};
}

bool SourceLines::is_regular_file() const {
    return lines_ == nullptr || lines_->is_regular_file();
}

std::vector<std::string> read_sources(const std::string& path, SourceType type) {
    SourceLines reader(path, type);
    std::vector<std::string> lines;
    for (std::string line; reader.next(line);) {
        reader.require_utf8(line);
        lines.push_back(line);
    }
    return lines;
}

std::int64_t feature_depth(const std::string& path) {
    SourceLines reader(path, SourceType::features);
    for (std::string name; reader.next(name);) {
        if (is_blank(name)) {
            continue;
        }
        try {
            return FeatureArray(name).depth();
        } catch (const Error& error) {
            throw reader.at_place(error);
        }
    }
    throw Error(ExitCode::data, path + ": it names no array");
}

}  // namespace softalign
