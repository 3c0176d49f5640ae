#include "data/parallel_lines.h"

#include <cstdint>
#include <string>
#include <vector>

#include "base/counted.h"

namespace softalign {

namespace {

template <typename Reader>
std::int64_t count_to_end(Reader& reader) {
    std::string line;
    while (reader.next(line)) {
    }
    return reader.line_number();
}

}  // namespace

ParallelLines::ParallelLines(const std::string& source, const std::string& target, SourceType type)
    : source_(source, type), target_(target) {}

bool ParallelLines::next(std::string& source, std::string& target) {
    const bool has_source = source_.next(source);
    const bool has_target = target_.next(target);
    if (has_source != has_target) {
        throw unequal_sides(count_of_lines({source_.name()}, count_to_end(source_)),
                            count_of_lines({target_.name()}, count_to_end(target_)));
    }
    source_.require_utf8(source);
    target_.require_utf8(target);
    return has_source;
}

std::string count_of_lines(const std::vector<std::string>& files, std::int64_t lines) {
    std::string names;
    for (const std::string& file : files) {
        names += (names.empty() ? "" : " + ") + file;
    }
    return names + (files.size() > 1 ? " have " : " has ") + counted(lines, "line");
}

Error unequal_sides(const std::string& source_says, const std::string& target_says) {
    return {ExitCode::data, "the two sides do not have the same number of lines: " + source_says + ", " + target_says +
                                "; line n of one must be the translation of line n of the other"};
}

}  // namespace softalign
