#pragma once

#include <cstdint>

namespace softalign {

// A rectangle of positions, row after row: position p lies in row p / width and column p % width.
struct Grid {
    std::int64_t height = 0;
    std::int64_t width = 0;

    std::int64_t positions() const { return height * width; }
    bool operator==(const Grid& other) const { return height == other.height && width == other.width; }
    bool operator!=(const Grid& other) const { return !(*this == other); }
};

}  // namespace softalign
