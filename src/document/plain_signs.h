#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace softalign {

// A text with signs of ASCII in place of the typographic ones, such as ' for ’ and - for –, and without soft hyphens
// and the characters that only join others: those of them for which `replaces` is true.
std::string with_plain_signs(std::string_view text, const std::function<bool(std::string_view sign)>& replaces);

}  // namespace softalign
