#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "text/tokenizer.h"

namespace softalign {

// Consecutive word numbers: begin, begin + 1, ..., end - 1.
struct WordRange {
    std::size_t begin = 0;
    std::size_t end = 0;
};

// The words of a text, and which of them each of its pieces belongs to.
//
// Words are separated by white space (words_of in text/words.h): punctuation that touches a word is part of it, and a
// text in a script without spaces is one word. A text that is not blank but has no word by that rule, such as a lone
// U+FFFD, is one word.
struct PieceWords {
    std::vector<std::string> words;
    std::vector<WordRange> of_piece;  // empty ranges only where there are no words
};

// For a text that was encoded and cut to its first `pieces` pieces: each piece belongs to one word. Includes all words
// of the text as written, also those that were cut off or that normalisation removed.
PieceWords source_words(const std::string& text, const Tokenizer& tokenizer, std::size_t pieces);

// For a text that was decoded from pieces. text_of_first(n) is the text of only the first n pieces. A piece belongs to
// the words to which it adds a character other than white space: to several if it contains a space, or if several words
// replaced an unknown piece. A piece that adds none, such as a lone space symbol, a byte that is not the last of its
// character or a control piece, belongs to the word that it continues or precedes, or to the last one. So every word
// has a piece. Decodes every beginning of the text, which takes time quadratic in the number of pieces.
PieceWords target_words(const std::string& text, std::size_t pieces,
                        const std::function<std::string(std::size_t)>& text_of_first);

}  // namespace softalign
