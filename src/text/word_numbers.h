#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace softalign {

// For each piece of a text, the 0-based index in words_of(text) of the word it belongs to, in non-decreasing order:
// that of its first character other than white space, else of the next such character, else of the last one. 0 if the
// text has no words.
//
// pieces_of(t): what the pieces of a text t write, after normalisation. Normalisation may delete characters, even whole
// words, or write one word as several. Therefore words are found by what is left of them when they are segmented alone:
// one after another they have the letters of the whole text, although perhaps in other pieces.
std::vector<std::size_t> word_numbers(std::string_view text,
                                      const std::function<std::vector<std::string>(std::string_view)>& pieces_of);

}  // namespace softalign
