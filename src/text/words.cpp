#include "text/words.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <vector>

namespace softalign {

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
