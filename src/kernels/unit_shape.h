#pragma once

#include <cstdint>

namespace softalign {

// A step of a recurrent unit: N rows of H units.
struct UnitShape {
    std::int64_t rows;
    std::int64_t width;
};

}  // namespace softalign
