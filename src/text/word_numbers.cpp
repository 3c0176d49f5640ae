#include "text/word_numbers.h"

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

// The bytes that are not white space before each piece, and in all of them.
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
    for (const std::string_view word : words_of(text)) {
        const auto first = spaces_before.begin() + 1 + (word.data() - text.data());
        std::fill(first, first + static_cast<std::ptrdiff_t>(word.size()), 0);
    }
    std::partial_sum(spaces_before.begin(), spaces_before.end(), spaces_before.begin());
    std::transform(begins.begin(), begins.end(), begins.begin(),
                   [&](std::size_t begin) { return begin - spaces_before[begin]; });
    return begins;
}

}  // namespace

std::vector<std::size_t> word_numbers(std::string_view text,
                                      const std::function<std::vector<std::string>(std::string_view)>& pieces_of) {
    std::vector<std::size_t> ends;  // of the words, in letters
    for (const std::string_view word : words_of(text)) {
        ends.push_back((ends.empty() ? 0 : ends.back()) + letters_before(pieces_of(word)).back());
    }
    std::vector<std::size_t> numbers = letters_before(pieces_of(text));
    numbers.pop_back();
    const std::size_t letters = ends.empty() ? 0 : ends.back();
    for (std::size_t& number : numbers) {
        const auto word =
            letters > 0 ? std::upper_bound(ends.begin(), ends.end(), std::min(number, letters - 1)) : ends.begin();
        number = static_cast<std::size_t>(word - ends.begin());
    }
    return numbers;
}

}  // namespace softalign
