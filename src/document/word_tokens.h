#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "document/text_range.h"

namespace softalign {

// A word of a text, the punctuation at one of its ends, or a placeholder.
struct WordToken {
    TextRange range;
    std::size_t word = 0;  // its number among words_of(text)
    bool punctuation = false;
};

// The words of a text without the punctuation in front of them and behind them, and this punctuation.
// What looks like a placeholder is a token by itself, and no punctuation.
std::vector<WordToken> word_tokens(std::string_view text);

// The same, but the sign of a number belongs to it.
std::vector<WordToken> signed_tokens(std::string_view text);

// Where these words, or words with them inside, follow one another in a text. Ranges count its words, and may overlap.
// None for an empty phrase.
std::vector<TextRange> runs_of(const std::vector<std::string_view>& phrase, const std::vector<std::string_view>& words);

// Links between tokens from those between words: words to words and punctuation to punctuation, where there is both.
// The rows and columns that a matrix lacks are 0.
std::vector<std::vector<float>> token_links(const std::vector<std::vector<float>>& of_words,
                                            const std::vector<WordToken>& source, const std::vector<WordToken>& target);

}  // namespace softalign
