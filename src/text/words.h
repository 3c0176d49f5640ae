#pragma once

#include <string_view>
#include <vector>

namespace softalign {

// U+2581, which stands for a space in pieces.
constexpr std::string_view space_symbol = "\xE2\x96\x81";

// Whether a text is empty or only ASCII white space.
bool is_blank(std::string_view text);

// The words of a text, in order, as views into it. They are separated by the characters that have Unicode's property
// White_Space, and by those in `separators`.
std::vector<std::string_view> words_of(std::string_view text, const std::vector<std::string_view>& separators = {});

}  // namespace softalign
