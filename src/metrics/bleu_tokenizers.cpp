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

// The part of mteval that 13a and zh share.
std::string mteval_western(const std::string& text) {
    return separate_periods_and_dashes(separate_ascii_punctuation(text));
}

std::string tokenize_13a(std::string_view text) {
    std::string line(text);
    replace_all(line, "<skipped>", "");
    replace_all(line, "-\n", "");
    replace_all(line, "\n", " ");
    decode_entities(line);
    return mteval_western(" " + line + " ");
}

std::string tokenize_intl(std::string_view text) {
    std::u32string line = decode_utf8(text);
    line = space_pairs(line, Outside::after, [](char32_t a, char32_t b) { return !is_number(a) && is_punctuation(b); });
    line =
        space_pairs(line, Outside::before, [](char32_t a, char32_t b) { return is_punctuation(a) && !is_number(b); });
    return encode_utf8(space_around(line, is_symbol));
}

// The code points sacreBLEU's zh tokenizer takes for Chinese. It means to have Extension B (from U+20000 on) and the
// compatibility supplement (from U+2F800 on), but writes them as \u with five digits, which Python reads as four digits
// and a character: what it has instead is U+2001 to U+2A6D, among it dashes, curly quotes and the ellipsis. Its scores
// are the published ones, so the same holds here.
bool is_chinese(char32_t c) {
    static constexpr std::array<std::pair<char32_t, char32_t>, 18> blocks{{
        {0x2001, 0x2A6D},
        {0x2E80, 0x2EFF},
        {0x2F00, 0x2FDF},
        {0x2FF0, 0x2FFF},
        {0x3000, 0x303F},
        {0x3100, 0x312F},
        {0x31A0, 0x31BF},
        {0x31C0, 0x31EF},
        {0x3200, 0x32FF},
        {0x3300, 0x33FF},
        {0x3400, 0x4DB5},
        {0x4E00, 0x9FBB},
        {0xF900, 0xFA2D},
        {0xFA30, 0xFA6A},
        {0xFA70, 0xFAD9},
        {0xFE10, 0xFE1F},
        {0xFE30, 0xFE4F},
        {0xFF00, 0xFFEF},
    }};
    return std::any_of(blocks.begin(), blocks.end(),
                       [c](const auto& block) { return c >= block.first && c <= block.second; });
}

std::string tokenize_zh(std::string_view text) {
    return mteval_western(encode_utf8(space_around(decode_utf8(strip(text)), is_chinese)));
}

std::string tokenize_character(std::string_view text) {
    std::string spaced;
    spaced.reserve(2 * text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = sequence_length(text, at);
        spaced.append(text.substr(at, length));
        spaced.push_back(' ');
        at += length;
    }
    return spaced;
}

}  // namespace

std::string tokenize_for_bleu(std::string_view text, BleuTokenizer tokenizer) {
    switch (tokenizer) {
        case BleuTokenizer::t13a:
            return tokenize_13a(text);
        case BleuTokenizer::intl:
            return tokenize_intl(text);
        case BleuTokenizer::zh:
            return tokenize_zh(text);
        case BleuTokenizer::character:
            return tokenize_character(text);
        case BleuTokenizer::none:
            break;
    }
    return std::string(text);
}

}  // namespace softalign
