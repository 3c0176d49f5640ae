#pragma once

#include <string_view>
#include <vector>

#include "document/text_range.h"

namespace softalign {

// Numbers (numbers_in_words_of) with a currency sign or the like that touches them, with their unit and a sign in
// front: "€3", "-$5M", "20°C". Of words that have more letters or digits, such as "10€-20€", none. In order and without
// overlaps.
std::vector<TextRange> amounts_of(std::string_view text);

// A part of a text with the plus or minus in front of it, if nothing but an opener touches that, as in "-5°C–5°C".
TextRange with_sign(std::string_view text, TextRange part);

}  // namespace softalign
