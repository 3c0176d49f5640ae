#include "text/words.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

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

namespace {

constexpr std::string_view ascii_space = " \t\n\v\f\r";

// The characters with Unicode's property White_Space that are not ASCII: U+0085, U+00A0, U+1680, U+2000 to U+200A,
// U+2028, U+2029, U+202F, U+205F and U+3000.
constexpr std::string_view wide_spaces[] = {
    "\xC2\x85",     "\xC2\xA0",     "\xE1\x9A\x80", "\xE2\x80\x80", "\xE2\x80\x81", "\xE2\x80\x82", "\xE2\x80\x83",
    "\xE2\x80\x84", "\xE2\x80\x85", "\xE2\x80\x86", "\xE2\x80\x87", "\xE2\x80\x88", "\xE2\x80\x89", "\xE2\x80\x8A",
    "\xE2\x80\xA8", "\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80"};

// Bytes of the separator at `at`, or 0.
std::size_t space_length(std::string_view text, std::size_t at, const std::vector<std::string_view>& separators) {
    if (ascii_space.find(text[at]) != std::string_view::npos) {
        return 1;
    }
    const auto is_here = [&](std::string_view space) { return text.compare(at, space.size(), space) == 0; };
    const auto wide = std::find_if(std::begin(wide_spaces), std::end(wide_spaces), is_here);
    if (wide != std::end(wide_spaces)) {
        return wide->size();
    }
    const auto other = std::find_if(separators.begin(), separators.end(), is_here);
    return other == separators.end() ? 0 : other->size();
}

}  // namespace

bool is_blank(std::string_view text) {
    return text.find_first_not_of(ascii_space) == std::string_view::npos;
}

std::vector<std::string_view> words_of(std::string_view text, const std::vector<std::string_view>& separators) {
    std::vector<std::string_view> words;
    std::size_t begin = 0;  // of the word, or of what may become one
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t space = space_length(text, at, separators);
        if (space == 0) {
            ++at;
            continue;
        }
        if (at > begin) {
            words.push_back(text.substr(begin, at - begin));
        }
        at += space;
        begin = at;
    }
    if (begin < text.size()) {
        words.push_back(text.substr(begin));
    }
    return words;
}

}  // namespace softalign
