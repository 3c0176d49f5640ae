#include "document/sentence_ends.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "document/characters.h"
#include "text/words.h"

namespace softalign {

namespace {

// Where a sentence ends that ICU ends at `at`, inside a quotation as French writes it: "« Oui. » Elle".
// `at` itself elsewhere, and npos where the sentence goes on.
std::size_t behind_quotation(std::string_view text, std::size_t at) {
    constexpr std::string_view mark = "\u00BB";
    constexpr std::string_view closing = ",.;:!?)";
    std::size_t next = at + mark.size();
    const bool closes = next >= text.size() || u_isUWhiteSpace(character_at(text, next)) ||
                        closing.find(text[next]) != std::string_view::npos;
    if (!starts_with(text.substr(at), mark) || !closes) {
        return at;  // none, or one that opens as German writes it
    }
    next = behind_white_space(text, next);
    return u_isupper(character_at(text, next)) ? next : std::string_view::npos;
}

// Behind the marks of Markdown that close what they opened: "**Note.** Read".
std::size_t behind_markdown(std::string_view text, std::size_t at) {
    const std::size_t end = std::min(text.find_first_not_of("*_`", at), text.size());
    return !is_space(text[at - 1]) && (end == text.size() || is_space(text[end])) ? end : at;
}

// Unicode's rules leave a mark that touches the end of a sentence with it, even one that opens what follows: "end.[1]".
std::size_t before_opening_mark(std::string_view text, std::size_t at) {
    for (std::size_t before = at; before > 0 && !is_space(text[before - 1]);) {
        constexpr std::size_t longest = 4;
        const std::string_view last = text.substr(0, before).substr(before - std::min(before, longest));
        auto start = static_cast<std::int32_t>(last.size());
        UChar32 character = U_SENTINEL;
        U8_PREV(last.data(), 0, start, character);
        const auto type = u_charType(character);
        if (type != U_START_PUNCTUATION && type != U_INITIAL_PUNCTUATION) {
            return before;
        }
        before -= last.size() - static_cast<std::size_t>(start);
    }
    return at;
}

// A word without the brackets, quotation marks and marks of Markdown that open it or close it.
std::string_view without_marks(std::string_view word) {
    const auto opens = [](UChar32 character) {
        const auto type = u_charType(character);
        return type == U_START_PUNCTUATION || type == U_INITIAL_PUNCTUATION || character == '"' || character == '\'' ||
               character == '*' || character == '_' || character == '`' || character == '>';
    };
    std::size_t begin = 0;
    while (begin < word.size() && opens(character_at(word, begin))) {
        begin += character_size(word, begin);
    }
    word.remove_prefix(begin);
    return word.substr(0, word.find_last_not_of("*_`)]") + 1);
}

// A word that begins a list, a heading or a quotation, or is a box to check.
bool is_mark(std::string_view word) {
    constexpr std::array<std::string_view, 6> signs{"-", "\u2013", "\u2014", "\u2022", "+", "]"};
    return word == "[x]" || word == "[X]" || without_marks(word).find_first_not_of('#') == std::string_view::npos ||
           std::find(signs.begin(), signs.end(), word) != signs.end();
}

// "1." or "a."
bool is_number_or_letter(std::string_view word) {
    constexpr std::size_t longest = 3;
    return is_initial(word) || (word.size() > 1 && word.size() <= longest && word.back() == '.' &&
                                word.find_first_not_of("0123456789") == word.size() - 1);
}

}  // namespace

bool is_inside_name(std::string_view text, std::size_t at) {
    if (text[at - 1] != '.' || !u_isalnum(character_at(text, at))) {
        return false;
    }
    const char before = at > 1 ? text[at - 2] : ' ';
    const UChar32 second = character_at(text, at + 1);
    return before == '/' || ((is_space(before) || before == '(') && !u_islower(second)) ||
           (is_digit(before) && !u_isalpha(second));
}

bool is_behind_wide_end(std::string_view text, std::size_t at) {
    constexpr std::array<std::string_view, 3> ends{"\u3002", "\uFF01", "\uFF1F"};
    return ends_with_one(ends, text.substr(0, at));
}

bool is_quoted_in_sentence(std::string_view text, std::size_t at) {
    constexpr std::array<std::string_view, 3> closing{"\u300D", "\u300F", "\u201D"};
    return ends_with_one(closing, text.substr(0, at)) && u_isalpha(character_at(text, at));
}

std::size_t end_at(std::string_view text, std::size_t at) {
    return behind_quotation(text, behind_markdown(text, before_opening_mark(text, at)));
}

bool is_item_number(std::string_view sentence) {
    const std::vector<std::string_view> words = words_of(sentence);
    return !words.empty() && is_number_or_letter(without_marks(words.back())) &&
           std::all_of(words.begin(), words.end() - 1,
                       [](std::string_view word) { return is_mark(word) || is_number_or_letter(without_marks(word)); });
}

bool is_turn(std::string_view sentence, std::string_view next) {
    constexpr std::array<std::string_view, 3> dashes{"-", "\u2013", "\u2014"};
    return starts_with_one(dashes, sentence) && starts_with_one(dashes, next);
}

}  // namespace softalign
