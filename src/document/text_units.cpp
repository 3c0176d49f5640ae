#include "document/text_units.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utf8.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/strings.h"

namespace softalign {

namespace {

struct Character {
    UChar32 code = 0;
    std::size_t end = 0;  // where the next one begins
};

Character decode_at(std::string_view text, std::size_t at) {
    auto position = static_cast<std::int64_t>(at);
    UChar32 code = U_SENTINEL;
    U8_NEXT(text.data(), position, static_cast<std::int64_t>(text.size()), code);
    return {code, static_cast<std::size_t>(position)};
}

UChar32 last_character(std::string_view text) {
    auto position = static_cast<std::int32_t>(text.size());
    UChar32 code = U_SENTINEL;
    U8_PREV(text.data(), 0, position, code);
    return code;
}

// Of scripts without spaces between words.
bool is_unspaced(UChar32 code) {
    if (code < 0x0E00) {
        return false;
    }
    UErrorCode status = U_ZERO_ERROR;
    switch (uscript_getScript(code, &status)) {
        case USCRIPT_HAN:
        case USCRIPT_HIRAGANA:
        case USCRIPT_KATAKANA:
        case USCRIPT_THAI:
        case USCRIPT_LAO:
        case USCRIPT_KHMER:
        case USCRIPT_MYANMAR:
            return true;
        default:
            return false;
    }
}

bool is_mark(UChar32 code) {
    return (U_GET_GC_MASK(code) & U_GC_M_MASK) != 0;
}

bool is_in_word(UChar32 code) {
    return u_isalnum(code) || is_mark(code) || code == '_';
}

bool is_apostrophe(UChar32 code) {
    return code == '\'' || code == 0x2019;
}

bool is_quote(UChar32 code) {
    return code == '"' || (U_GET_GC_MASK(code) & (U_GC_PI_MASK | U_GC_PF_MASK)) != 0;
}

bool is_of_word(UChar32 code) {
    return is_in_word(code) && !is_unspaced(code);
}

bool is_hyphen(UChar32 code) {
    return code == '-' || code == 0x2010 || code == 0x2011;
}

bool joins_words(UChar32 code) {
    return code < 0 || is_hyphen(code) || is_apostrophe(code) || is_of_word(code);
}

bool is_wide(UChar32 code) {
    UErrorCode status = U_ZERO_ERROR;
    const UScriptCode script = uscript_getScript(code, &status);
    return script == USCRIPT_HAN || script == USCRIPT_HIRAGANA || script == USCRIPT_KATAKANA ||
           (code >= 0x3000 && code <= 0x303F) || (code >= 0xFF00 && code <= 0xFFEF);
}

template <typename Is>
bool any_character(std::string_view text, const Is& is) {
    for (std::size_t at = 0; at < text.size();) {
        const Character character = decode_at(text, at);
        if (is(character.code)) {
            return true;
        }
        at = character.end;
    }
    return false;
}

}  // namespace

std::vector<TextRange> units_of(std::string_view text) {
    std::vector<TextRange> units;
    bool in_word = false;  // whether the last unit is a word that may go on
    for (std::size_t at = 0; at < text.size();) {
        const auto [code, end] = decode_at(text, at);
        const bool joins = is_apostrophe(code) && end < text.size() && u_isalpha(decode_at(text, end).code);
        const bool marks_last = is_mark(code) && !units.empty() && units.back().end == at;
        if ((in_word && (is_of_word(code) || joins)) || marks_last) {
            units.back().end = end;
        } else if (!u_isUWhiteSpace(code)) {
            units.push_back({at, end});
            in_word = is_of_word(code);
        } else {
            in_word = false;
        }
        at = end;
    }
    return units;
}

bool has_unspaced(std::string_view text) {
    return any_character(text, is_unspaced);
}

bool has_letter(std::string_view text) {
    return any_character(text, [](UChar32 code) { return u_isalpha(code) != 0; });
}

bool has_digit(std::string_view text) {
    return any_character(text, [](UChar32 code) { return u_isdigit(code) != 0; });
}

bool begins_in_word(std::string_view text) {
    return !text.empty() && joins_words(decode_at(text, 0).code);
}

bool ends_in_word(std::string_view text) {
    return !text.empty() && joins_words(last_character(text));
}

bool begins_with_word(std::string_view text) {
    return !text.empty() && is_of_word(decode_at(text, 0).code);
}

bool ends_with_word(std::string_view text) {
    return !text.empty() && is_of_word(last_character(text));
}

bool is_in_compound(std::string_view text, TextRange part) {
    const auto is_letter = [](UChar32 code) { return is_of_word(code) && !u_isdigit(code); };
    std::string_view before = text.substr(0, part.begin);
    if (!before.empty() && is_hyphen(last_character(before))) {
        do {
            before.remove_suffix(static_cast<std::size_t>(U8_LENGTH(last_character(before))));
            if (!before.empty() && is_letter(last_character(before))) {
                return true;
            }
        } while (!before.empty() && u_isdigit(last_character(before)));
    }
    const std::size_t end = part.end + (starts_with(text.substr(part.end), "%") ? 1 : 0);
    const Character behind = end < text.size() ? decode_at(text, end) : Character{U_SENTINEL, end};
    return is_hyphen(behind.code) && behind.end < text.size() && is_letter(decode_at(text, behind.end).code);
}

TextRange compound_around(std::string_view text, TextRange part, TextRange within) {
    const auto joins = [](UChar32 before, UChar32 code, UChar32 behind) {
        const bool is_beside_digit =
            is_of_word(before) && is_of_word(behind) && (u_isdigit(before) || u_isdigit(behind));
        return is_of_word(code) || is_hyphen(code) || ((code == '.' || code == '/') && is_beside_digit);
    };
    const auto code_at = [&](std::size_t at) { return at < within.end ? decode_at(text, at).code : U_SENTINEL; };
    const auto code_before = [&](std::size_t at) {
        return at > within.begin ? last_character(text.substr(0, at)) : U_SENTINEL;
    };
    const auto size_of = [](UChar32 code) { return static_cast<std::size_t>(U8_LENGTH(code)); };
    TextRange whole = part;
    for (UChar32 code = code_before(whole.begin); code >= 0; code = code_before(whole.begin)) {
        if (!joins(code_before(whole.begin - size_of(code)), code, code_at(whole.begin))) {
            break;
        }
        whole.begin -= size_of(code);
    }
    for (UChar32 code = code_at(whole.end); code >= 0; code = code_at(whole.end)) {
        if (!joins(code_before(whole.end), code, code_at(whole.end + size_of(code)))) {
            break;
        }
        whole.end += size_of(code);
    }
    while (whole.begin < part.begin && is_hyphen(code_at(whole.begin))) {
        whole.begin += size_of(code_at(whole.begin));
    }
    while (whole.end > part.end && is_hyphen(code_before(whole.end))) {
        whole.end -= size_of(code_before(whole.end));
    }
    return whole;
}

bool allows_space_before(std::string_view text) {
    return begins_with_word(text) || (!text.empty() && u_charType(decode_at(text, 0).code) == U_START_PUNCTUATION);
}

bool allows_space_behind(std::string_view text) {
    return ends_with_word(text) || ends_phrase(text) ||
           (!text.empty() && (text.back() == '%' || u_charType(last_character(text)) == U_END_PUNCTUATION));
}

bool opens(std::string_view text) {
    return !text.empty() &&
           (is_quote(decode_at(text, 0).code) || u_charType(decode_at(text, 0).code) == U_START_PUNCTUATION);
}

bool closes(std::string_view text) {
    return !text.empty() && (is_quote(last_character(text)) || u_charType(last_character(text)) == U_END_PUNCTUATION);
}

bool ends_phrase(std::string_view text) {
    return !text.empty() && std::string_view(".,;:!?").find(text.back()) != std::string_view::npos;
}

bool ends_wide(std::string_view text) {
    return !text.empty() && is_wide(last_character(text));
}

bool begins_wide(std::string_view text) {
    return !text.empty() && is_wide(decode_at(text, 0).code);
}

}  // namespace softalign
