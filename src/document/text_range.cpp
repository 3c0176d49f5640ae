#include "document/text_range.h"

#include <algorithm>
#include <vector>

namespace softalign {

void add_apart(std::vector<TextRange>& ranges, const std::vector<TextRange>& more) {
    std::vector<TextRange> added;
    auto next = ranges.begin();  // the first that may overlap
    for (const TextRange& range : more) {
        next = std::find_if(next, ranges.end(), [range](TextRange other) { return other.end > range.begin; });
        if (next == ranges.end() || next->begin >= range.end) {
            added.push_back(range);
        }
    }
    const auto middle = ranges.insert(ranges.end(), added.begin(), added.end());
    std::inplace_merge(ranges.begin(), middle, ranges.end(),
                       [](TextRange a, TextRange b) { return a.begin < b.begin; });
}

}  // namespace softalign
