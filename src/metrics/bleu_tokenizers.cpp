#include "metrics/bleu_tokenizers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "metrics/unicode.h"

namespace softalign {

namespace {

bool is_digit(char32_t c) {
    return c >= '0' && c <= '9';
}

bool is_period_or_comma(char32_t c) {
    return c == '.' || c == ',';
}

// ASCII punctuation that 13a separates everywhere: all but apostrophe, comma, hyphen and period. Space is among it.
bool is_mteval_separator(unsigned char c) {
    const auto in = [c](char first, char last) { return c >= first && c <= last; };
    return in(' ', '&') || in('(', '+') || c == '/' || in(':', '@') || in('[', '`') || in('{', '~');
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

enum class Outside { before, after };

// Puts a space between two neighbours and one outside of them, for each pair that `matches`. Pairs do not overlap: what
// a pair has used does not begin another one. Bytes serve as well as code points where only ASCII can match.
template <class String, class Matches>
String space_pairs(const String& text, Outside outside, Matches matches) {
    String spaced;
    spaced.reserve(text.size() + text.size() / 4);
    std::size_t at = 0;
    while (at < text.size()) {
        if (at + 1 == text.size() || !matches(text[at], text[at + 1])) {
            spaced.push_back(text[at++]);
            continue;
        }
        if (outside == Outside::before) {
            spaced.push_back(' ');
        }
        spaced.push_back(text[at]);
        spaced.push_back(' ');
        spaced.push_back(text[at + 1]);
        if (outside == Outside::after) {
            spaced.push_back(' ');
        }
        at += 2;
    }
    return spaced;
}

// A space before and after each unit that `matches`.
template <class String, class Matches>
String space_around(const String& text, Matches matches) {
    String spaced;
    spaced.reserve(text.size() + text.size() / 4);
    for (const auto unit : text) {
        if (matches(unit)) {
            spaced.push_back(' ');
            spaced.push_back(unit);
            spaced.push_back(' ');
        } else {
            spaced.push_back(unit);
        }
    }
    return spaced;
}

// The part of mteval that 13a and zh share.
std::string mteval_western(std::string text) {
    text = space_around(text, [](char c) { return is_mteval_separator(static_cast<unsigned char>(c)); });
    text = space_pairs(text, Outside::after, [](char a, char b) {
        return !is_digit(static_cast<unsigned char>(a)) && is_period_or_comma(static_cast<unsigned char>(b));
    });
    text = space_pairs(text, Outside::before, [](char a, char b) {
        return is_period_or_comma(static_cast<unsigned char>(a)) && !is_digit(static_cast<unsigned char>(b));
    });
    return space_pairs(text, Outside::after,
                       [](char a, char b) { return is_digit(static_cast<unsigned char>(a)) && b == '-'; });
}

std::string tokenize_13a(std::string_view text) {
    std::string line(text);
    replace_all(line, "<skipped>", "");
    replace_all(line, "-\n", "");
    replace_all(line, "\n", " ");
    replace_all(line, "&quot;", "\"");
    replace_all(line, "&amp;", "&");
    replace_all(line, "&lt;", "<");
    replace_all(line, "&gt;", ">");
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
