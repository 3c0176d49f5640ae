#include "document/amounts.h"

#include <unicode/uniset.h>
#include <unicode/unistr.h>
#include <unicode/uset.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "document/characters.h"
#include "document/icu_status.h"
#include "document/kept_spans.h"
#include "document/span_patterns.h"

namespace softalign {

namespace {

// Characters of a kind, beside a place of a text.
class CharacterSet {
public:
    explicit CharacterSet(const std::string& pattern) {
        UErrorCode status = U_ZERO_ERROR;
        set_.applyPattern(icu::UnicodeString::fromUTF8(pattern), status);
        require_icu_memory(status);
        set_.freeze();
    }

    // Where those in front of a place begin, and where those behind it end; at most so many bytes.
    std::size_t begin_before(std::string_view text, std::size_t at, std::size_t most) const {
        const std::size_t size = std::min(at, most);
        const std::string_view part = text.substr(at - size, size);
        const auto begin = set_.spanBackUTF8(part.data(), static_cast<std::int32_t>(size), USET_SPAN_CONTAINED);
        return at - size + static_cast<std::size_t>(begin);
    }
    std::size_t end_behind(std::string_view text, std::size_t at, std::size_t most) const {
        const std::string_view part = text.substr(at, most);
        const auto end = set_.spanUTF8(part.data(), static_cast<std::int32_t>(part.size()), USET_SPAN_CONTAINED);
        return at + static_cast<std::size_t>(end);
    }

private:
    icu::UnicodeSet set_;
};

constexpr std::size_t longest_character = 4;  // bytes

// Where the one plus or minus in front of a place begins; the place if there is none, or more.
std::size_t before_plus_or_minus(std::string_view text, std::size_t at) {
    static const CharacterSet plus_or_minus(R"([-+\u2212])");
    const std::size_t begin = plus_or_minus.begin_before(text, at, longest_character);
    return begin < at && begin + character_size(text, begin) == at ? begin : at;
}

// Whether a word has letters or digits in front of a place, or behind it. In scripts without spaces, one ends anywhere.
bool has_more_of_word(std::string_view text, std::size_t at, bool behind) {
    static const CharacterSet in_word(
        R"([[\p{L}\p{M}\p{N}]-[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]])");
    static const CharacterSet others(R"([^[:White_Space:]\p{L}\p{M}\p{N}])");
    if (behind) {
        at = others.end_behind(text, at, text.size());
        return in_word.end_behind(text, at, longest_character) > at;
    }
    at = others.begin_before(text, at, text.size());
    return in_word.begin_before(text, at, longest_character) < at;
}

}  // namespace

TextRange with_sign(std::string_view text, TextRange part) {
    static const CharacterSet opening("[" + std::string(sign_openers) + "]");
    static const CharacterSet quotes("[" + std::string(sign_quotes) + "]");
    static const CharacterSet in_word(R"([\p{L}\p{N}])");
    const TextRange with{before_plus_or_minus(text, part.begin), part.end};
    if (with.begin == 0 || opening.begin_before(text, with.begin, longest_character) < with.begin) {
        return with;
    }
    const std::size_t quote = quotes.begin_before(text, with.begin, longest_character);
    const bool is_outer = quote < with.begin && in_word.begin_before(text, quote, longest_character) == quote;
    return is_outer ? with : part;
}

std::vector<TextRange> amounts_of(std::string_view text) {
    static const CharacterSet signs(R"([\p{Sc}\p{So}%#\u00A7\u2030])");
    static const CharacterSet letters(R"([\p{Latin}\p{Greek}\p{Cyrillic}])");
    constexpr std::size_t most_signs = 12;   // bytes
    constexpr std::size_t longest_unit = 6;  // bytes
    std::vector<TextRange> amounts;
    for (TextRange amount : numbers_in_words_of(text)) {
        amount.end = letters.end_behind(text, amount.end, longest_unit);
        const std::size_t number = before_plus_or_minus(text, amount.begin);  // as in "$-5"
        const std::size_t with_own = signs.begin_before(text, number, most_signs);
        const std::size_t begin = with_own < number ? with_own : signs.begin_before(text, amount.begin, most_signs);
        if (begin < amount.begin) {
            amount = with_sign(text, {begin, amount.end});
        } else {
            const std::size_t end = signs.end_behind(text, amount.end, most_signs);
            if (end == amount.end) {
                continue;
            }
            amount.end = letters.end_behind(text, end, longest_unit);
        }
        if (!has_more_of_word(text, amount.begin, false) && !has_more_of_word(text, amount.end, true)) {
            amounts.push_back(amount);
        }
    }
    return amounts;
}

}  // namespace softalign
