#pragma once

#include <string>
#include <string_view>

namespace softalign {

// Whether a text has a capital letter.
bool has_capital(std::string_view text);

// A text as Unicode's rules for sentences (UAX #29) have to see it to find the ends that a reader finds, byte for byte
// as long: objects (object_mark) are names, a reference behind an end closes like a bracket, a dash between speakers
// opens like a quotation mark, and the first letters of sentences are capitals, those of Dutch words of one letter and
// those of a text without any capital letter (`is_small`). REQUIRES: UTF-8.
std::string as_unicode_expects(std::string_view text, bool is_small);

}  // namespace softalign
