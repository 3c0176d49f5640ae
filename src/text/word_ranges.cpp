#include "text/word_ranges.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "text/words.h"

namespace softalign {

namespace {

// The bytes that are neither white space nor a space symbol before each piece, and in all of them.
std::vector<std::size_t> letters_before(const std::vector<std::string>& pieces) {
    std::string text;
    std::vector<std::size_t> begins;
    for (const std::string& piece : pieces) {
        begins.push_back(text.size());
        text += piece;
    }
    begins.push_back(text.size());
    std::vector<std::size_t> spaces_before(text.size() + 1, 0);  // at first 1 for each byte that is no letter
    std::fill(spaces_before.begin() + 1, spaces_before.end(), 1);
    for (const std::string_view word : words_of(text, {space_symbol})) {
        const auto first = spaces_before.begin() + 1 + (word.data() - text.data());
        std::fill(first, first + static_cast<std::ptrdiff_t>(word.size()), 0);
    }
    std::partial_sum(spaces_before.begin(), spaces_before.end(), spaces_before.begin());
    std::transform(begins.begin(), begins.end(), begins.begin(),
                   [&](std::size_t begin) { return begin - spaces_before[begin]; });
    return begins;
}

}  // namespace

std::vector<WordRange> word_ranges(const std::vector<std::string_view>& words, const std::vector<std::string>& pieces,
                                   const std::function<std::vector<std::string>(std::string_view)>& pieces_of) {
    if (words.size() < 2) {
        return std::vector<WordRange>(pieces.size(), {0, words.size()});
    }
    const std::vector<std::size_t> begins = letters_before(pieces);
    std::vector<std::size_t> ends;  // of the words, in letters
    std::size_t letters = 0;
    for (auto word = words.begin(); word != words.end() && letters <= begins.back(); ++word) {
        letters += letters_before(pieces_of(*word)).back();
        ends.push_back(letters);
    }
    const auto word_of = [&](std::size_t letter) {
        const auto word =
            letters > 0 ? std::upper_bound(ends.begin(), ends.end(), std::min(letter, letters - 1)) : ends.begin();
        return static_cast<std::size_t>(word - ends.begin());
    };
    std::vector<WordRange> ranges;
    for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
        const std::size_t first = begins[piece];
        ranges.push_back({word_of(first), word_of(std::max(first + 1, begins[piece + 1]) - 1) + 1});
    }
    return ranges;
}

}  // namespace softalign
