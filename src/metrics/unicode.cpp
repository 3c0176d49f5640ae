#include "metrics/tokenizers.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"

namespace softalign {

namespace {

constexpr char32_t invalid_byte_base = 0xDC00;
constexpr char32_t capital_sigma = 0x3A3;
constexpr char32_t final_sigma = 0x3C2;
constexpr char32_t capital_i_with_dot = 0x130;
constexpr char32_t combining_dot = 0x307;

unsigned char byte_at(std::string_view text, std::size_t at) {
    return static_cast<unsigned char>(text[at]);
}

// The code point of a valid sequence of `length` bytes, or the stand-in for an invalid byte.
char32_t decode_sequence(std::string_view text, std::size_t at, std::size_t length) {
    const char32_t lead = byte_at(text, at);
    if (length == 1) {
        return lead < 0x80 ? lead : invalid_byte_base + lead;
    }
    char32_t code_point = lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        code_point = code_point << 6 | (byte_at(text, at + i) & 0x3FU);
    }
    return code_point;
}

void append_utf8(std::string& out, char32_t code_point) {
    const auto append = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (code_point < 0x80) {
        append(code_point);
    } else if (code_point >= invalid_byte_base + 0x80 && code_point <= invalid_byte_base + 0xFF) {
        append(code_point - invalid_byte_base);
    } else if (code_point < 0x800) {
        append(0xC0 | code_point >> 6);
        append(0x80 | (code_point & 0x3F));
    } else if (code_point < 0x10000) {
        append(0xE0 | code_point >> 12);
        append(0x80 | (code_point >> 6 & 0x3F));
        append(0x80 | (code_point & 0x3F));
    } else {
        append(0xF0 | code_point >> 18);
        append(0x80 | (code_point >> 12 & 0x3F));
        append(0x80 | (code_point >> 6 & 0x3F));
        append(0x80 | (code_point & 0x3F));
    }
}

bool has_category(char32_t code_point, std::uint32_t mask) {
    return (U_GET_GC_MASK(static_cast<UChar32>(code_point)) & mask) != 0;
}

char32_t simple_lower(char32_t code_point) {
    if (code_point < 0x80) {
        return code_point >= 'A' && code_point <= 'Z' ? code_point + ('a' - 'A') : code_point;
    }
    return static_cast<char32_t>(u_tolower(static_cast<UChar32>(code_point)));
}

// Whether the nearest code point from `at` on, in steps of `step`, that is not ignorable has case (Final_Sigma of the
// Unicode standard, section 3.13).
bool meets_cased(const std::u32string& text, std::ptrdiff_t at, std::ptrdiff_t step) {
    for (; at >= 0 && at < static_cast<std::ptrdiff_t>(text.size()); at += step) {
        const auto code_point = static_cast<UChar32>(text[static_cast<std::size_t>(at)]);
        if (!u_hasBinaryProperty(code_point, UCHAR_CASE_IGNORABLE)) {
            return u_hasBinaryProperty(code_point, UCHAR_CASED);
        }
    }
    return false;
}

bool is_ascii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

std::size_t sequence_length(std::string_view text, std::size_t at) {
    return byte_at(text, at) < 0x80 ? 1 : std::max<std::size_t>(1, utf8_sequence_length(text.substr(at)));
}

std::u32string decode_utf8(std::string_view text) {
    std::u32string decoded;
    decoded.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = sequence_length(text, at);
        decoded.push_back(decode_sequence(text, at, length));
        at += length;
    }
    return decoded;
}

std::string encode_utf8(std::u32string_view text) {
    std::string encoded;
    encoded.reserve(text.size());
    for (const char32_t code_point : text) {
        append_utf8(encoded, code_point);
    }
    return encoded;
}

// What Python's str calls a space: category Zs, or the bidirectional class of a separator.
bool is_space(char32_t c) {
    if (c < 0x80) {
        return c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
    }
    const auto code_point = static_cast<UChar32>(c);
    const UCharDirection direction = u_charDirection(code_point);
    return has_category(c, U_GC_ZS_MASK) || direction == U_WHITE_SPACE_NEUTRAL || direction == U_BLOCK_SEPARATOR ||
           direction == U_SEGMENT_SEPARATOR;
}

bool is_number(char32_t code_point) {
    return has_category(code_point, U_GC_N_MASK);
}

bool is_punctuation(char32_t code_point) {
    return has_category(code_point, U_GC_P_MASK);
}

bool is_symbol(char32_t code_point) {
    return has_category(code_point, U_GC_S_MASK);
}

std::string to_lower(std::string_view text) {
    if (is_ascii(text)) {
        return lower_ascii(text);
    }
    const std::u32string decoded = decode_utf8(text);
    std::string lowered;
    lowered.reserve(text.size());
    for (std::size_t i = 0; i < decoded.size(); ++i) {
        if (decoded[i] == capital_i_with_dot) {
            append_utf8(lowered, U'i');
            append_utf8(lowered, combining_dot);
        } else if (decoded[i] == capital_sigma) {
            const auto at = static_cast<std::ptrdiff_t>(i);
            const bool is_final = meets_cased(decoded, at - 1, -1) && !meets_cased(decoded, at + 1, 1);
            append_utf8(lowered, is_final ? final_sigma : simple_lower(capital_sigma));
        } else {
            append_utf8(lowered, simple_lower(decoded[i]));
        }
    }
    return lowered;
}

std::string normalize_nfc(std::string_view text) {
    // Everything below U+0300, the first combining mark, is composed: bytes below the first one of its UTF-8.
    if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0xCC; })) {
        return std::string(text);
    }
    std::u16string units;
    for (const char32_t code_point : decode_utf8(text)) {
        if (code_point > 0xFFFF) {
            units.push_back(U16_LEAD(code_point));
        }
        units.push_back(code_point > 0xFFFF ? static_cast<char16_t>(U16_TRAIL(code_point))
                                            : static_cast<char16_t>(code_point));
    }
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2* const nfc = unorm2_getNFCInstance(&status);
    const auto length = static_cast<std::int32_t>(units.size());
    std::u16string composed(units.size(), u'\0');
    std::int32_t needed = unorm2_normalize(nfc, units.data(), length, composed.data(), length, &status);
    if (status == U_BUFFER_OVERFLOW_ERROR) {  // a few characters are longer in this form
        status = U_ZERO_ERROR;
        composed.resize(static_cast<std::size_t>(needed));
        needed = unorm2_normalize(nfc, units.data(), length, composed.data(), needed, &status);
    }
    if (U_FAILURE(status)) {
        throw std::runtime_error(std::string("ICU cannot normalise a text: ") + u_errorName(status));
    }
    std::u32string code_points;
    for (std::int32_t i = 0; i < needed;) {
        UChar32 code_point = 0;
        U16_NEXT(composed.data(), i, needed, code_point);
        code_points.push_back(static_cast<char32_t>(code_point));
    }
    return encode_utf8(code_points);
}

std::u32string decode_without_spaces(std::string_view text) {
    std::u32string decoded;
    decoded.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = sequence_length(text, at);
        const char32_t code_point = decode_sequence(text, at, length);
        if (!is_space(code_point)) {
            decoded.push_back(code_point);
        }
        at += length;
    }
    return decoded;
}

std::vector<std::string_view> split_words(std::string_view text) {
    std::vector<std::string_view> words;
    std::size_t begin = 0;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t length = sequence_length(text, at);
        if (is_space(decode_sequence(text, at, length))) {
            if (at > begin) {
                words.push_back(text.substr(begin, at - begin));
            }
            begin = at + length;
        }
        at += length;
    }
    if (begin < text.size()) {
        words.push_back(text.substr(begin));
    }
    return words;
}

std::string_view strip_right(std::string_view text) {
    std::size_t end = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = sequence_length(text, at);
        at += length;
        if (!is_space(decode_sequence(text, at - length, length))) {
            end = at;
        }
    }
    return text.substr(0, end);
}

std::string_view strip(std::string_view text) {
    text = strip_right(text);
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t length = sequence_length(text, begin);
        if (!is_space(decode_sequence(text, begin, length))) {
            break;
        }
        begin += length;
    }
    return text.substr(begin);
}

}  // namespace softalign
