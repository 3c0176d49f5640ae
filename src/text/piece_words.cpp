#include "text/piece_words.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/words.h"

namespace softalign {

namespace {

using Views = std::vector<std::string_view>;
using Segments = std::vector<std::pair<std::string, std::int32_t>>;

// `words`, or the whole text if that is none but the text is not blank.
Views or_all(Views words, const std::string& text) {
    return words.empty() && !is_blank(text) ? Views{text} : words;
}

std::vector<std::string> spellings(const Segments& pieces, const Tokenizer& tokenizer) {
    std::vector<std::string> result;
    result.reserve(pieces.size());
    for (const auto& [piece, id] : pieces) {
        result.push_back(id == tokenizer.special().unk ? piece : tokenizer.spelling(id));
    }
    return result;
}

// The number in `words` of each of `parts`, of which a word may have several.
std::vector<std::size_t> words_of_parts(const Views& parts, const Views& words) {
    std::vector<std::size_t> numbers;
    std::size_t word = 0;
    for (const std::string_view part : parts) {
        while (word + 1 < words.size() && words[word + 1].data() <= part.data()) {
            ++word;
        }
        numbers.push_back(word);
    }
    return numbers;
}

PieceWords piece_words(const Views& words, std::vector<WordRange> of_piece, bool cut) {
    const std::size_t count = !cut ? words.size() : of_piece.empty() ? 0 : of_piece.back().end;
    return {{words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count)}, std::move(of_piece)};
}

// What there is of a text besides white space.
std::string letters_of(const std::string& text) {
    std::string letters;
    for (const std::string_view word : words_of(text)) {
        letters += word;
    }
    return letters;
}

std::size_t common_beginning(std::string_view a, std::string_view b) {
    const auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    return static_cast<std::size_t>(end - a.begin());
}

}  // namespace

SourceWords source_words(const std::string& text, const Tokenizer& tokenizer, const Segments& pieces, bool cut) {
    const Views words = or_all(words_of(text), text);
    const Views found = tokenizer.words(text);
    const Views parts = found.empty() ? words : found;
    const std::vector<WordRange> of_parts =
        word_ranges(parts, spellings(pieces, tokenizer),
                    [&tokenizer](std::string_view part) { return spellings(tokenizer.segment(part), tokenizer); });
    const std::vector<std::size_t> numbers = words_of_parts(parts, words);
    std::vector<WordRange> of_words;
    for (const WordRange& range : of_parts) {
        of_words.push_back(numbers.empty() ? range : WordRange{numbers[range.begin], numbers[range.end - 1] + 1});
    }
    return {piece_words(words, std::move(of_words), cut), piece_words(parts, of_parts, cut)};
}

std::vector<std::int32_t> word_numbers(const std::string& text, const Tokenizer& tokenizer, const Segments& pieces) {
    std::vector<std::int32_t> numbers;
    for (const WordRange& range : source_words(text, tokenizer, pieces, false).numbered.of_piece) {
        numbers.push_back(static_cast<std::int32_t>(range.begin));
    }
    return numbers;
}

// Compares letters, not texts: what spaces a decoder writes at the end of a text depends on what follows. A window of
// pieces is decoded again for each of its pieces, and the next window begins where these are sure to be whole letters.
PieceWords target_words(const std::string& text, std::size_t pieces,
                        const std::function<std::string(std::size_t first, std::size_t last)>& text_of) {
    constexpr std::size_t window = 64;
    PieceWords result;
    const Views words = or_all(words_of(text), text);
    result.words.assign(words.begin(), words.end());
    if (result.words.empty()) {
        result.of_piece.resize(pieces);
        return result;
    }
    const std::string letters = letters_of(text);
    std::vector<std::size_t> ends;  // of the words, in letters
    for (const std::string& word : result.words) {
        ends.push_back(std::min(letters.size(), word.size() + (ends.empty() ? 0 : ends.back())));
    }
    std::size_t first_piece = 0;  // of the window
    std::size_t done = 0;         // letters in front of it
    std::size_t begin = 0;        // of the piece, in letters
    for (std::size_t n = 1; n <= pieces; ++n) {
        const std::string_view rest = std::string_view(letters).substr(done);
        const std::string part = n < pieces ? letters_of(text_of(first_piece, n)) : std::string(rest);
        const std::size_t common = common_beginning(rest, part);
        const std::size_t end = std::max(begin, done + common);
        const auto first = std::upper_bound(ends.begin(), ends.end() - 1, begin) - ends.begin();
        const auto last = std::lower_bound(ends.begin() + first, ends.end() - 1, end) - ends.begin();
        result.of_piece.push_back({static_cast<std::size_t>(first), static_cast<std::size_t>(last) + 1});
        begin = end;
        if (n - first_piece >= window && common == part.size() && end == done + common) {
            first_piece = n;
            done = end;
        }
    }
    return result;
}

}  // namespace softalign
