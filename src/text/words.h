#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace softalign {

// Consecutive word numbers: begin, begin + 1, ..., end - 1.
struct WordRange {
    std::size_t begin = 0;
    std::size_t end = 0;
};

// For each piece of a text, or of its beginning, the words that it has characters of, in order. A piece that has none,
// such as a lone space symbol, belongs to the word that follows, or to the last one. Empty ranges if there are no
// words.
//
// words: of the text, without white space; between them is only what the pieces write as white space or not at all.
// pieces: what the pieces write, after normalisation.
// pieces_of(word): the same of all pieces of a word by itself. Normalisation may delete characters, even whole words,
// or write one word as several. Therefore words are found by what is left of them when they are segmented alone: one
// after another they have the letters of the whole text, although perhaps in other pieces. Only words that the pieces
// reach are segmented.
std::vector<WordRange> word_ranges(const std::vector<std::string_view>& words, const std::vector<std::string>& pieces,
                                   const std::function<std::vector<std::string>(std::string_view)>& pieces_of);

// U+2581, which stands for a space in pieces.
constexpr std::string_view space_symbol = "\xE2\x96\x81";

// Whether a text is empty or only ASCII white space.
bool is_blank(std::string_view text);

// The words of a text, in order, as views into it. They are separated by the characters that have Unicode's property
// White_Space, and by those in `separators`.
std::vector<std::string_view> words_of(std::string_view text, const std::vector<std::string_view>& separators = {});

}  // namespace softalign
