#include "document/sentence_text.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "document/characters.h"
#include "document/text_range.h"

namespace softalign {

namespace {

// One or two bytes long.
bool is_small_latin(UChar32 character) {
    constexpr UChar32 beyond_latin = 0x250;
    return u_islower(character) && character < beyond_latin;
}

// As a capital letter of as many bytes.
void capitalise(std::string& text, std::size_t at) {
    constexpr std::array<std::string_view, 4> letters{"A", "\u00C0", "\u1E00", "\U00010400"};
    const auto size = character_size(text, at);
    text.replace(at, size, letters[size - 1]);
}

// For a text in small letters: with the first letter behind what may end a sentence as a capital one, byte for byte,
// since Unicode's rules expect it.
std::string with_capitals(std::string_view text) {
    std::string result(text);
    bool after_end = false;
    for (std::size_t at = 0; at < result.size(); ++at) {
        const char c = result[at];
        if (is_end(c)) {
            after_end = true;
        } else if (after_end && is_space(result[at - 1]) && is_small_latin(character_at(result, at))) {
            capitalise(result, at);
            after_end = false;
        } else if (!is_space(c) && c != '"' && c != '\'' && c != ')') {
            after_end = false;
        }
    }
    return result;
}

// Behind the brackets and quotation marks that close at a place.
std::size_t behind_closing(std::string_view text, std::size_t at) {
    constexpr std::array<std::string_view, 5> closing{"\"", ")", "\u201D", "\u2019", "\u00BB"};
    while (starts_with_one(closing, text.substr(at))) {
        at += character_size(text, at);
    }
    return at;
}

// For Unicode's rules, which leave closing brackets with the end of a sentence: a reference behind an end and the
// quotation marks that close there, and before white space, as such brackets.
void close_references(std::string& text) {
    for (std::size_t at = text.find_first_of(".!?"); at != std::string::npos; at = text.find_first_of(".!?", at + 1)) {
        const bool behind_word = at > 1 && !is_space(text[at - 2]) && !is_digit(text[at - 1]);
        const std::size_t begin = behind_closing(text, at + 1);
        const std::size_t size = reference_size(std::string_view(text).substr(begin));
        const std::size_t end = begin + size;
        const bool is_number = size > 0 && is_digit(text[begin]);
        if (size > 0 && end < text.size() && is_space(text[end]) && (behind_word || !is_number)) {
            text.replace(begin, size, std::string(size, ')'));
        }
    }
}

// In a text that begins with a dash, as what somebody says: the dash before what the next one says, as a quotation mark
// that opens, since Unicode's rules let a sentence go on behind a dash.
void open_speeches(std::string& text) {
    constexpr std::array<std::string_view, 3> dashes{"-", "\u2013", "\u2014"};
    constexpr std::size_t longest = 64;  // of what is between a dash and a letter
    const std::size_t first = behind_white_space(text, 0);
    if (!starts_with_one(dashes, std::string_view(text).substr(first))) {
        return;
    }
    for (std::size_t at = first + 1; at < text.size(); ++at) {
        if (!is_space(text[at - 1]) || !starts_with_one(dashes, std::string_view(text).substr(at))) {
            continue;
        }
        if (const std::size_t end = text.find_last_not_of(" \t", at - 1); !is_end(text[std::min(end, at)])) {
            continue;
        }
        const auto size = character_size(text, at);
        std::size_t letter = at + size;
        const std::size_t last = std::min(text.size(), letter + longest);
        while (letter < last && !u_isalnum(character_at(text, letter))) {
            letter += character_size(text, letter);
        }
        if (!u_islower(character_at(text, letter))) {
            text.replace(at, size, std::string(size, '"'));
        }
    }
}

// Where a sentence begins with a Dutch word of one letter, as in "koud. 's Avonds", that one as a capital letter.
void raise_short_words(std::string& text) {
    for (const std::string_view mark : {"'", "\u2019"}) {
        for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
            const std::size_t letter = at + mark.size();
            if (at > 1 && is_space(text[at - 1]) && is_end(text[at - 2]) && letter + 1 < text.size() &&
                is_space(text[letter + 1]) && std::string_view("snt").find(text[letter]) != std::string_view::npos) {
                text[letter] = static_cast<char>(text[letter] - 'a' + 'A');
            }
        }
    }
}

// Whether the word of this place begins a sentence behind a full stop although it has a small letter, or one follows:
// "20 people", "$3 million", "iPhones". Unicode's rules look for the first letter.
bool begins_like_capital(std::string_view text, std::size_t at) {
    const UChar32 first = character_at(text, at);
    const UChar32 second = character_at(text, at + static_cast<std::size_t>(U8_LENGTH(first)));
    return u_isdigit(first) || (u_charType(first) == U_CURRENCY_SYMBOL && u_isdigit(second)) ||
           (u_islower(first) && u_isupper(second));
}

// How many letters a text ends with, or digits of a year.
std::size_t letters_at_end(std::string_view text) {
    constexpr std::size_t digits_of_year = 4;
    std::size_t letters = 0;
    std::size_t digits = 0;
    for (auto at = static_cast<std::int32_t>(text.size()); at > 0;) {
        UChar32 character = U_SENTINEL;
        U8_PREV(text.data(), 0, at, character);
        letters += digits == 0 && u_isalpha(character) ? 1 : 0;
        digits += letters == 0 && u_isdigit(character) ? 1 : 0;
        if (!u_isalnum(character)) {
            break;
        }
    }
    return letters > 0 || digits == digits_of_year ? std::max(letters, digits) : 0;
}

// Where a sentence begins with a number behind a word of so many letters, which is no abbreviation then.
void raise_numbers(std::string& text, std::size_t least_letters) {
    constexpr std::size_t longest = 40;
    for (std::size_t at = text.find(". "); at != std::string::npos; at = text.find(". ", at + 1)) {
        const std::size_t next = text.find_first_not_of(" \t", at + 1);
        const std::string_view before =
            std::string_view(text).substr(at < longest ? 0 : at - longest, std::min(at, longest));
        if (next != std::string::npos && begins_like_capital(text, next) && letters_at_end(before) >= least_letters) {
            capitalise(text, next);
        }
    }
}

// An ellipsis that ends a word as the three full stops that it is.
void write_out_ellipses(std::string& text) {
    constexpr std::string_view ellipsis = "\u2026";
    for (std::size_t at = text.find(ellipsis); at != std::string::npos; at = text.find(ellipsis, at + 1)) {
        const std::size_t next = behind_closing(text, at + ellipsis.size());
        const bool ends_word = at > 0 && !is_space(text[at - 1]) && text[at - 1] != '(';
        if (ends_word && next < text.size() && is_space(text[next])) {
            text.replace(at, ellipsis.size(), "...");
        }
    }
}

// Objects as names, and as white space where they touch the end of a sentence and the next begins behind them.
void name_objects(std::string& text) {
    const auto behind_objects = [&text](std::size_t at) {
        while (starts_with(std::string_view(text).substr(at), object_mark)) {
            at += object_mark.size();
        }
        return at;
    };
    for (std::size_t at = text.find(object_mark); at != std::string::npos; at = text.find(object_mark, at)) {
        const std::size_t end = behind_objects(at);
        const std::size_t next = std::min(text.find_first_not_of(" \t", end), text.size());
        const bool joins = at > 0 && is_end(text[at - 1]) && u_isupper(character_at(text, next));
        for (; at < end; at += object_mark.size()) {
            text.replace(at, object_mark.size(), joins ? "   " : "Xxx");
        }
    }
}

}  // namespace

std::size_t reference_size(std::string_view text) {
    constexpr std::array<std::string_view, 10> superscripts{"\u00B9", "\u00B2", "\u00B3", "\u2070", "\u2074",
                                                            "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    constexpr std::size_t most_digits = 3;
    constexpr std::size_t longest = 24;
    std::size_t size = std::min(text.find_first_not_of("0123456789"), text.size());
    size = size > most_digits ? 0 : size;
    while (starts_with_one(superscripts, text.substr(size))) {
        size += character_size(text, size);
    }
    while (starts_with(text.substr(size), "[")) {
        const std::size_t end = text.substr(0, size + longest).find_first_of(".!?]", size);
        if (end == std::string_view::npos || text[end] != ']') {
            return 0;
        }
        size = end + 1;
    }
    return size;
}

bool has_capital(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!is_utf8_continuation(text[at]) && u_isupper(character_at(text, at))) {
            return true;
        }
    }
    return false;
}

std::string as_unicode_expects(std::string_view text, const ExpectedText& expectation) {
    std::string result = expectation.is_small ? with_capitals(text) : std::string(text);
    write_out_ellipses(result);
    close_references(result);
    open_speeches(result);
    raise_short_words(result);
    if (expectation.least_letters > 0) {
        raise_numbers(result, expectation.least_letters);
    }
    name_objects(result);
    return result;
}

}  // namespace softalign
