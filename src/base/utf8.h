#pragma once

#include <cstddef>
#include <string_view>

namespace softalign {

// The length in bytes, 1 to 4, of the well-formed sequence that `text` starts with; 0 if there is none (Unicode 15,
// table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF). REQUIRES: text is not empty.
std::size_t utf8_sequence_length(std::string_view text);

// The 1-based byte column of the first byte that is not part of well-formed UTF-8, or 0 if there is none.
std::size_t first_invalid_utf8(std::string_view text);

}  // namespace softalign
