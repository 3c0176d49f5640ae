#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "text/tokenizer.h"

namespace softalign {

// Numbers of words that follow each other: begin, begin + 1, ..., end - 1.
struct WordRange {
    std::size_t begin = 0;
    std::size_t end = 0;
};

// The words of a text, and which of them each of its pieces is part of.
//
// Words are what stands between white space (words_of in text/words.h): punctuation that touches a word is part of it,
// and a text in a writing without spaces is one word. A text that is not blank but has no word by that rule, such as a
// lone U+FFFD, is one word.
struct PieceWords {
    std::vector<std::string> words;
    std::vector<WordRange> of_piece;  // empty ranges only where there are no words
};

// Of a text that was encoded and cut to its first `pieces` pieces: each is part of one word. All words of the text are
// there, as they are written in it, those that were cut off and those that the normalisation swallowed too.
PieceWords source_words(const std::string& text, const Tokenizer& tokenizer, std::size_t pieces);

// Of a text that was decoded from pieces. text_of_first(n) is the text of the first n pieces alone; a piece is part of
// the words to which it adds a character other than white space: of several where it holds a space within, or where
// several words took the place of an unknown piece. One that adds none, such as a lone space symbol, a byte that is not
// the last of its character or a control piece, is part of the word that goes on or follows, or of the last one. So
// every word has a piece. Decodes all beginnings of the text, which takes time quadratic in the pieces.
PieceWords target_words(const std::string& text, std::size_t pieces,
                        const std::function<std::string(std::size_t)>& text_of_first);

}  // namespace softalign
