#include "text/words.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <vector>

namespace softalign {

namespace {

constexpr std::string_view ascii_space = " \t\n\v\f\r";

// U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F and U+3000 are white space in Unicode, as are U+0085, U+00A0 and
// U+1680; the others are those of SentencePiece's rules nmt_nfkc and nmt_nfkc_cf.
constexpr std::string_view wide_spaces[] = {
    "\xC2\x85",     "\xC2\xA0",     "\xE1\x9A\x80", "\xE2\x80\x80", "\xE2\x80\x81", "\xE2\x80\x82", "\xE2\x80\x83",
    "\xE2\x80\x84", "\xE2\x80\x85", "\xE2\x80\x86", "\xE2\x80\x87", "\xE2\x80\x88", "\xE2\x80\x89", "\xE2\x80\x8A",
    "\xE2\x80\x8B", "\xE2\x80\x8C", "\xE2\x80\x8E", "\xE2\x80\x8F", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xE2\x80\xAF",
    "\xE2\x81\x9F", "\xE2\x96\x81", "\xE3\x80\x80", "\xEF\xBB\xBF", "\xEF\xBF\xBD"};

// Bytes of the white space character at `at`, or 0.
std::size_t space_length(std::string_view text, std::size_t at) {
    if (ascii_space.find(text[at]) != std::string_view::npos) {
        return 1;
    }
    const auto found = std::find_if(std::begin(wide_spaces), std::end(wide_spaces),
                                    [&](std::string_view space) { return text.compare(at, space.size(), space) == 0; });
    return found == std::end(wide_spaces) ? 0 : found->size();
}

}  // namespace

bool is_blank(std::string_view text) {
    return text.find_first_not_of(ascii_space) == std::string_view::npos;
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    std::size_t begin = 0;  // of the word, or of what may become one
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t space = space_length(text, at);
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
