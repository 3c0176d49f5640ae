#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace softalign {

// A text with signs of ASCII in place of the typographic ones, such as ' for ’ and - for –, and without soft hyphens
// and the characters that only join others: those of them for which `replaces` is true. It has as many words as before:
// a word that is nothing but such a character stays.
std::string with_plain_signs(std::string_view text, const std::function<bool(std::string_view sign)>& replaces);

// Whether it is one of the characters that this leaves out.
bool is_joiner(std::string_view character);

}  // namespace softalign
