#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace softalign {

// How many bytes of a reference to a note a text begins with, as in "end.[1] Next" and "end.1 Next"; 0 = none.
std::size_t reference_size(std::string_view text);

// Whether a text has a capital letter.
bool has_capital(std::string_view text);

// What as_unicode_expects has to know of a text.
struct ExpectedText {
    bool is_small = false;          // it has no capital letter
    std::size_t least_letters = 0;  // of a word that can be no abbreviation in front of a number; 0 = unknown
};

// A text as Unicode's rules for sentences (UAX #29) have to see it to find the ends that a reader finds, byte for byte
// as long: objects (object_mark) are names, a reference behind an end closes like a bracket, a dash between speakers
// opens like a quotation mark, an ellipsis is three full stops, and what sentences begin with are capital letters:
// Dutch words of one letter, numbers, brands such as "iPhone", and any words of a text without capitals. REQUIRES:
// UTF-8.
std::string as_unicode_expects(std::string_view text, const ExpectedText& expectation);

}  // namespace softalign
