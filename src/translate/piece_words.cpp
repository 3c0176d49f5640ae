#include "translate/piece_words.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "text/words.h"

namespace softalign {

namespace {

std::vector<std::string> all_words(const std::string& text) {
    const std::vector<std::string_view> found = words_of(text);
    std::vector<std::string> words(found.begin(), found.end());
    if (words.empty() && !is_blank(text)) {
        words.push_back(text);
    }
    return words;
}

// What there is of a text besides white space.
std::string letters_of(const std::string& text) {
    std::string letters;
    for (const std::string_view word : words_of(text)) {
        letters += word;
    }
    return letters;
}

std::size_t common_beginning(const std::string& a, const std::string& b) {
    const auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    return static_cast<std::size_t>(end - a.begin());
}

}  // namespace

PieceWords source_words(const std::string& text, const Tokenizer& tokenizer, std::size_t pieces) {
    PieceWords result;
    result.words = all_words(text);
    for (const std::size_t number : tokenizer.word_numbers(text)) {
        if (result.of_piece.size() < pieces) {
            result.of_piece.push_back({number, std::min(number + 1, result.words.size())});
        }
    }
    return result;
}

// Compares letters, not texts: what spaces a decoder writes at the end of a text depends on what follows.
PieceWords target_words(const std::string& text, std::size_t pieces,
                        const std::function<std::string(std::size_t)>& text_of_first) {
    PieceWords result;
    result.words = all_words(text);
    if (result.words.empty()) {
        result.of_piece.resize(pieces);
        return result;
    }
    const std::string letters = letters_of(text);
    std::vector<std::size_t> ends;  // of the words, in letters
    for (const std::string& word : result.words) {
        ends.push_back(std::min(letters.size(), word.size() + (ends.empty() ? 0 : ends.back())));
    }
    std::size_t begin = 0;  // of the piece, in letters
    for (std::size_t n = 1; n <= pieces; ++n) {
        const std::size_t common = common_beginning(letters, n < pieces ? letters_of(text_of_first(n)) : letters);
        const std::size_t end = std::max(begin, common);
        const auto first = std::upper_bound(ends.begin(), ends.end() - 1, begin) - ends.begin();
        const auto last = std::lower_bound(ends.begin() + first, ends.end() - 1, end) - ends.begin();
        result.of_piece.push_back({static_cast<std::size_t>(first), static_cast<std::size_t>(last) + 1});
        begin = end;
    }
    return result;
}

}  // namespace softalign
