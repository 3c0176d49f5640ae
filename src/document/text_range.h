#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace softalign {

// The bytes begin, begin + 1, ..., end - 1 of a text.
struct TextRange {
    std::size_t begin = 0;
    std::size_t end = 0;

    std::size_t size() const { return end - begin; }
    std::string_view of(std::string_view text) const { return text.substr(begin, size()); }
    bool contains(TextRange inner) const { return begin <= inner.begin && inner.end <= end; }
};

inline bool operator==(const TextRange& a, const TextRange& b) {
    return a.begin == b.begin && a.end == b.end;
}

// Adds those of `more` that overlap none that is there. REQUIRES: both are in order and without overlaps; so is the
// result.
void add_apart(std::vector<TextRange>& ranges, const std::vector<TextRange>& more);

// The first of ranges, which are in order and without overlaps, that ends behind a place.
inline std::vector<TextRange>::const_iterator first_ending_behind(const std::vector<TextRange>& ranges,
                                                                  std::size_t place) {
    return std::lower_bound(ranges.begin(), ranges.end(), place,
                            [](const TextRange& range, std::size_t at) { return range.end <= at; });
}

// Stands in a text for what is no text, such as a picture or a link that is copied: U+FFFC, the object replacement
// character.
constexpr std::string_view object_mark = "\xEF\xBF\xBC";

}  // namespace softalign
