#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "document/text_range.h"

namespace softalign {

// Where the places of a text are in another one, in which some parts are replaced by longer or shorter ones.
class MovedPlaces {
public:
    // The next part that is replaced ends at `end`, and what is in its place at `moved`.
    void add(std::size_t end, std::size_t moved) {
        ends_.push_back(end);
        moved_.push_back(moved);
    }

    // Of a place outside of the parts; of one at the end of a part: behind what is in its place.
    std::size_t place(std::size_t of) const {
        const auto before = static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), of) - ends_.begin());
        return before == 0 ? of : of - ends_[before - 1] + moved_[before - 1];
    }
    TextRange range(TextRange of) const { return {place(of.begin), place(of.end)}; }

private:
    std::vector<std::size_t> ends_;
    std::vector<std::size_t> moved_;
};

}  // namespace softalign
