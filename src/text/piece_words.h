#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "text/tokenizer.h"
#include "text/words.h"

namespace softalign {

// The words of a text, and which of them each of its pieces belongs to.
struct PieceWords {
    std::vector<std::string> words;
    std::vector<WordRange> of_piece;  // empty ranges only where there are no words
};

// The words of a source text and of the pieces that a model reads of it. Includes words that normalisation removes, but
// none after the last piece where the text was cut.
struct SourceWords {
    // As a reader divides the text: at white space (words_of in text/words.h). Punctuation that touches a word is part
    // of it, and a text in a script without spaces is one word, as is a text of white space for which there are pieces.
    PieceWords numbered;
    // As the vocabulary does, in smaller parts where it takes other characters for spaces (Tokenizer::words).
    PieceWords copied;
};

// pieces: the first of tokenizer.segment(text); `cut` if not all.
SourceWords source_words(const std::string& text, const Tokenizer& tokenizer,
                         const std::vector<std::pair<std::string, std::int32_t>>& pieces, bool cut);

// The numbered word that each piece belongs to, the first of several: never decreases. pieces: all of
// tokenizer.segment(text), or of another segmentation of it (Tokenizer::sampled_segment).
std::vector<std::int32_t> word_numbers(const std::string& text, const Tokenizer& tokenizer,
                                       const std::vector<std::pair<std::string, std::int32_t>>& pieces);

// For a text that was decoded from pieces, divided at white space. text_of(first, last) is the text of only the pieces
// first, ..., last - 1. A piece belongs to the words to which it adds a character other than white space: to several if
// it contains a space, or if several words replaced an unknown piece. A piece that adds none, such as a lone space
// symbol, a byte that is not the last of its character or a control piece, belongs to the word that it continues or
// precedes, or to the last one. So every word has a piece.
PieceWords target_words(const std::string& text, std::size_t pieces,
                        const std::function<std::string(std::size_t first, std::size_t last)>& text_of);

}  // namespace softalign
