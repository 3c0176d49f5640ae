#pragma once

#include <cstddef>
#include <string_view>

namespace softalign {

// The 1-based byte column of the first byte that is not part of well-formed UTF-8 (Unicode 15, table 3-7: no overlong
// forms, no surrogates, nothing above U+10FFFF), or 0 where there is none.
std::size_t first_invalid_utf8(std::string_view text);

}  // namespace softalign
