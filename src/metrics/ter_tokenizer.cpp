#include "metrics/tokenizers.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "metrics/text_edits.h"

namespace softalign {

namespace {

using Block = std::pair<char32_t, char32_t>;

template <std::size_t size>
bool is_in(const std::array<Block, size>& blocks, char32_t c) {
    return std::any_of(blocks.begin(), blocks.end(),
                       [c](const Block& block) { return c >= block.first && c <= block.second; });
}

bool is_asian_punctuation(char32_t c) {
    static constexpr std::array<Block, 11> blocks{{{0x3001, 0x3002},
                                                   {0x3008, 0x3011},
                                                   {0x3014, 0x301F},
                                                   {0x30FB, 0x30FB},
                                                   {0xFF01, 0xFF02},
                                                   {0xFF08, 0xFF09},
                                                   {0xFF0C, 0xFF0C},
                                                   {0xFF0E, 0xFF0E},
                                                   {0xFF1A, 0xFF1B},
                                                   {0xFF1F, 0xFF1F},
                                                   {0xFF61, 0xFF65}}};
    return is_in(blocks, c);
}

// Ideographs and their relatives, each of which is a word. Kana are meant to be split off too, but sacreBLEU's
// expressions for them are tied to the start of a text, which is a space by then: they never match, and so kana stay
// together.
bool is_asian_word(char32_t c) {
    static constexpr std::array<Block, 6> blocks{
        {{0x2E80, 0x2EFF}, {0x31C0, 0x31EF}, {0x3200, 0x4DBF}, {0x4E00, 0x9FFF}, {0xF900, 0xFAFF}, {0xFE30, 0xFE4F}}};
    return is_in(blocks, c);
}

bool is_western_punctuation(char32_t c) {
    return c == '.' || c == ',' || c == '?' || c == ':' || c == ';' || c == '!' || c == '"' || c == '(' || c == ')';
}

std::string normalize_western(std::string_view text) {
    std::string line(text);
    replace_all(line, "\n-", "");
    replace_all(line, "\n", " ");
    decode_entities(line);
    line = " " + line + " ";
    line = separate_ascii_punctuation(line);
    replace_all(line, "'s ", " 's ");
    return separate_periods_and_dashes(line);
}

std::string single_spaced(std::string_view text) {
    std::string spaced;
    spaced.reserve(text.size());
    for (const std::string_view word : split_words(text)) {
        spaced.append(spaced.empty() ? "" : " ").append(word);
    }
    return spaced;
}

template <class Matches>
std::string without(std::string_view text, Matches matches) {
    std::u32string decoded = decode_utf8(text);
    decoded.erase(std::remove_if(decoded.begin(), decoded.end(), matches), decoded.end());
    return encode_utf8(decoded);
}

}  // namespace

std::string tokenize_for_ter(std::string_view text, const TerOptions& options) {
    text = strip_right(text);
    std::string line = options.case_sensitive ? std::string(text) : to_lower(text);
    if (options.normalized && !line.empty()) {
        line = normalize_western(line);
        if (options.asian_support) {
            line = encode_utf8(space_around(decode_utf8(line),
                                            [](char32_t c) { return is_asian_word(c) || is_asian_punctuation(c); }));
        }
        line = single_spaced(line);
    }
    if (options.no_punctuation) {
        const bool asian = options.asian_support;
        line = without(line,
                       [asian](char32_t c) { return is_western_punctuation(c) || (asian && is_asian_punctuation(c)); });
    }
    return line;
}

}  // namespace softalign
