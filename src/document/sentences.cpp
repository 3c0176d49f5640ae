#include "document/sentences.h"

#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/uloc.h>
#include <unicode/utext.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "text/words.h"

namespace softalign {

namespace {

void require(UErrorCode status, const char* what) {
    if (status == U_MEMORY_ALLOCATION_ERROR) {
        throw std::bad_alloc();
    }
    if (U_FAILURE(status)) {
        throw Error(ExitCode::internal, std::string("ICU cannot ") + what + ": " + u_errorName(status));
    }
}

// "de" of "de-CH"; empty where ICU knows none.
std::string known_language(const std::string& locale) {
    UErrorCode status = U_ZERO_ERROR;
    char language[ULOC_LANG_CAPACITY] = "";
    uloc_getLanguage(locale.c_str(), language, ULOC_LANG_CAPACITY, &status);
    return U_FAILURE(status) || *language == 0 || *uloc_getISO3Language(language) == 0 ? "" : language;
}

// The same; throws Error(usage) where there is none.
std::string language_of(const std::string& locale) {
    std::string language = known_language(locale);
    if (language.empty()) {
        throw Error(ExitCode::usage,
                    "'" + locale + "' is not the name of a language; give one such as en, de-CH or zh-Hant");
    }
    return language;
}

UChar32 character_at(std::string_view text, std::size_t at) {
    auto position = static_cast<std::int64_t>(at);
    const auto size = static_cast<std::int64_t>(text.size());
    UChar32 character = U_SENTINEL;
    if (position < size) {
        U8_NEXT(text.data(), position, size, character);
    }
    return character;
}

bool has_capital(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        if ((static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U && u_isupper(character_at(text, at))) {
            return true;
        }
    }
    return false;
}

bool is_space(char c) {
    return c == ' ' || c == '\t';
}

bool is_end(char c) {
    return c == '.' || c == '!' || c == '?';
}

// One or two bytes long.
bool is_small_latin(UChar32 character) {
    constexpr UChar32 beyond_latin = 0x250;
    return u_islower(character) && character < beyond_latin;
}

// For a text in small letters: with the first letter behind what may end a sentence as a capital one, byte for byte,
// since Unicode's rules expect it.
std::string with_capitals(std::string_view text) {
    std::string result(text);
    bool after_end = false;
    for (std::size_t at = 0; at < result.size(); ++at) {
        char& c = result[at];
        if (is_end(c)) {
            after_end = true;
        } else if (after_end && is_space(result[at - 1]) && is_small_latin(character_at(result, at))) {
            const bool is_ascii = (c & '\x80') == 0;
            result.replace(at, is_ascii ? 1 : 2, is_ascii ? "A" : "\u00C0");
            after_end = false;
        } else if (!is_space(c) && c != '"' && c != '\'' && c != ')') {
            after_end = false;
        }
    }
    return result;
}

// In a text in small letters: "Mr." for "mr.", and for all that has several letters and can be no word.
std::string as_abbreviation(std::string_view word) {
    std::string result(word);
    if (result.size() > 2 && result.front() >= 'a' && result.front() <= 'z' &&
        result.find_first_of("aeiouy") == std::string::npos) {
        result.front() = static_cast<char>(result.front() - 'a' + 'A');
    }
    return result;
}

bool is_initial(std::string_view word) {
    return word.size() == 2 && u_isalpha(word.front()) && word.back() == '.';
}

// "Mrs." of "Mr./Mrs.", "Ing." of "Dipl.-Ing.", "5." of "3.\u20135.", "av." of "l'av."
std::string_view last_part(std::string_view word) {
    std::size_t begin = 0;
    for (const std::string_view mark : {"-", "/", "'", "\u2013", "\u2019"}) {
        const std::size_t at = word.rfind(mark);
        begin = at == std::string_view::npos ? begin : std::max(begin, at + mark.size());
    }
    return word.substr(begin);
}

// Without the punctuation that opens it.
std::string_view without_opening(std::string_view word) {
    std::size_t at = 0;
    while (at < word.size() && (word[at] == '`' || u_ispunct(character_at(word, at)))) {
        at += static_cast<std::size_t>(U8_LENGTH(character_at(word, at)));
    }
    return word.substr(std::min(at, word.size()));
}

// "Fig." of "Fig.1"
std::string_view without_reference(std::string_view word) {
    const std::size_t end = word.find_last_not_of("0123456789");
    return end != std::string_view::npos && word[end] == '.' ? word.substr(0, end + 1) : word;
}

// Whether the full stop in front of this place belongs to what follows, as in ".NET" and "/.X", or to a number, as in
// "3.X".
bool is_inside_name(std::string_view text, std::size_t at) {
    if (text[at - 1] != '.' || !u_isalnum(character_at(text, at))) {
        return false;
    }
    const char before = at > 1 ? text[at - 2] : ' ';
    const UChar32 second = character_at(text, at + 1);
    return before == '/' || ((is_space(before) || before == '(') && !u_islower(second)) ||
           (u_isdigit(static_cast<unsigned char>(before)) && !u_isalpha(second));
}

bool starts_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// Of these, the one that the text before a place ends with, or begins with at it; empty = none.
template <std::size_t N>
std::string_view one_before(const std::array<std::string_view, N>& marks, std::string_view text) {
    const auto* const found =
        std::find_if(marks.begin(), marks.end(), [text](std::string_view mark) { return ends_with(text, mark); });
    return found == marks.end() ? std::string_view() : *found;
}
template <std::size_t N>
bool begins_with_one(const std::array<std::string_view, N>& marks, std::string_view text) {
    return std::any_of(marks.begin(), marks.end(), [text](std::string_view mark) { return starts_with(text, mark); });
}

// Where a sentence ends that ICU ends at `at`, inside a quotation as French writes it: "« Oui. » Elle".
// `at` itself elsewhere, and npos where the sentence goes on.
std::size_t behind_quotation(std::string_view text, std::size_t at) {
    constexpr std::string_view mark = "\u00BB";
    const std::string_view behind = text.substr(at);
    if (!starts_with(behind, mark) ||
        (behind.size() > mark.size() && !u_isUWhiteSpace(character_at(behind, mark.size())))) {
        return at;
    }
    const std::vector<std::string_view> words = words_of(behind.substr(mark.size()));
    if (words.empty()) {
        return std::string_view::npos;
    }
    const auto next = static_cast<std::size_t>(words.front().data() - text.data());
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

// Whether a quotation is a part of a Japanese sentence, as a particle behind it says.
bool is_quoted_in_sentence(std::string_view text, std::size_t at) {
    constexpr std::array<std::string_view, 2> closing{"\u300D", "\u300F"};
    constexpr std::array<std::string_view, 6> particles{"\u3068", "\u3063\u3066", "\u3092",
                                                        "\u306E", "\u304C",       "\u306B"};
    return !one_before(closing, text.substr(0, at)).empty() && begins_with_one(particles, text.substr(at));
}

// Whether what ends in front of a place does so in the manner of Chinese and Japanese, where any letter may follow:
// "\u3002iPhone".
bool is_behind_wide_end(std::string_view text, std::size_t at) {
    constexpr std::array<std::string_view, 3> ends{"\u3002", "\uFF01", "\uFF1F"};
    return !one_before(ends, text.substr(0, at)).empty();
}

// Whether a word is a unit behind a number that is no year, as in "230 V." and "10 A.", and no initial of a name.
bool is_unit(std::string_view word, const std::string& number) {
    constexpr std::array<std::string_view, 6> units{"V.", "W.", "A.", "K.", "\u0412.", "\u0410."};
    constexpr std::size_t digits_of_year = 4;
    return std::find(units.begin(), units.end(), word) != units.end() && number.size() != digits_of_year &&
           number.find_first_not_of("0123456789.,") == std::string::npos && !number.empty() &&
           u_isdigit(static_cast<unsigned char>(number.back()));
}

// Whether two words together are an acronym that may end a sentence, and neither two initials of a name.
bool is_spaced_acronym(const std::string& word) {
    constexpr std::array<std::string_view, 7> known{"U.S.", "U.K.", "EE.UU.", "a.C.", "d.C.", "av.J.-C.", "apr.J.-C."};
    return std::find(known.begin(), known.end(), word) != known.end();
}

// Whether all of a sentence so far is the number or small letter of an item: "1. Open", "a. Open".
bool is_item_number(std::string_view sentence) {
    constexpr std::size_t longest = 3;
    if (is_initial(sentence) && u_islower(character_at(sentence, 0))) {
        return true;
    }
    return sentence.size() > 1 && sentence.size() <= longest && sentence.back() == '.' &&
           sentence.find_first_not_of("0123456789") == sentence.size() - 1;
}

// How many bytes of a reference to a note a text begins with, as in "end.[1] Next" and "end.1 Next"; 0 = none.
std::size_t reference_size(std::string_view text) {
    constexpr std::array<std::string_view, 10> superscripts{"\u00B9", "\u00B2", "\u00B3", "\u2070", "\u2074",
                                                            "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    constexpr std::size_t most_digits = 3;
    constexpr std::size_t longest = 24;
    std::size_t size = std::min(text.find_first_not_of("0123456789"), text.size());
    size = size > most_digits ? 0 : size;
    while (begins_with_one(superscripts, text.substr(size))) {
        size += static_cast<std::size_t>(U8_LENGTH(character_at(text, size)));
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

// For Unicode's rules, which leave closing brackets with the end of a sentence: a reference behind an end and the
// quotation marks that close there, and before white space, as such brackets.
void close_references(std::string& text) {
    constexpr std::array<std::string_view, 5> closing{"\"", ")", "\u201D", "\u2019", "\u00BB"};
    for (std::size_t at = text.find_first_of(".!?"); at != std::string::npos; at = text.find_first_of(".!?", at + 1)) {
        std::size_t begin = at + 1;
        const bool behind_word =
            at > 1 && !is_space(text[at - 2]) && !u_isdigit(static_cast<unsigned char>(text[at - 1]));
        while (begins_with_one(closing, std::string_view(text).substr(begin))) {
            begin += static_cast<std::size_t>(U8_LENGTH(character_at(text, begin)));
        }
        const std::size_t size = reference_size(std::string_view(text).substr(begin));
        const std::size_t end = begin + size;
        const bool is_digit = size > 0 && u_isdigit(static_cast<unsigned char>(text[begin]));
        if (size > 0 && end < text.size() && is_space(text[end]) && (behind_word || !is_digit)) {
            text.replace(begin, size, std::string(size, ')'));
        }
    }
}

// In a text that begins with a dash, as what somebody says: the dash before what the next one says, as a quotation mark
// that opens, since Unicode's rules let a sentence go on behind a dash.
void open_speeches(std::string& text) {
    constexpr std::array<std::string_view, 3> dashes{"-", "\u2013", "\u2014"};
    const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
    if (!begins_with_one(dashes, std::string_view(text).substr(first))) {
        return;
    }
    for (std::size_t at = first + 1; at < text.size(); ++at) {
        const std::string_view behind = std::string_view(text).substr(at);
        const std::size_t end = std::min(text.find_last_not_of(" \t", at - 1), at);
        if (!begins_with_one(dashes, behind) || !is_space(text[at - 1]) || !is_end(text[end])) {
            continue;
        }
        const auto size = static_cast<std::size_t>(U8_LENGTH(character_at(text, at)));
        std::size_t letter = at + size;
        while (letter < text.size() && !u_isalnum(character_at(text, letter))) {
            letter += static_cast<std::size_t>(U8_LENGTH(character_at(text, letter)));
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

// What ICU is to see: an object is a name.
std::string readable(std::string result) {
    close_references(result);
    open_speeches(result);
    raise_short_words(result);
    for (std::size_t at = result.find(object_mark); at != std::string::npos; at = result.find(object_mark, at)) {
        result.replace(at, object_mark.size(), "Xxx");
    }
    return result;
}

}  // namespace

struct SentenceSplitter::Breaks {
    explicit Breaks(const std::string& locale) {
        UErrorCode status = U_ZERO_ERROR;
        iterator = ubrk_open(UBRK_SENTENCE, locale.c_str(), nullptr, 0, &status);
        require(status, "divide text into sentences");
    }
    ~Breaks() { ubrk_close(iterator); }
    Breaks(const Breaks&) = delete;
    Breaks& operator=(const Breaks&) = delete;

    UBreakIterator* iterator = nullptr;
};

SentenceSplitter::SentenceSplitter(const std::string& locale, const std::string& abbreviations)
    : abbreviations_(language_of(locale)) {
    breaks_ = std::make_unique<Breaks>(locale);
    if (!abbreviations.empty()) {
        abbreviations_.read(abbreviations);
    }
}

SentenceSplitter::~SentenceSplitter() = default;
SentenceSplitter::SentenceSplitter(SentenceSplitter&&) noexcept = default;

std::vector<TextRange> SentenceSplitter::split(std::string_view text) const {
    const bool is_small = !has_capital(text);
    const std::string seen = readable(is_small ? with_capitals(text) : std::string(text));
    UErrorCode status = U_ZERO_ERROR;
    UText view = UTEXT_INITIALIZER;
    utext_openUTF8(&view, seen.data(), static_cast<std::int64_t>(seen.size()), &status);
    ubrk_setUText(breaks_->iterator, &view, &status);
    require(status, "read a text");
    std::vector<TextRange> sentences;
    std::size_t begin = 0;
    for (std::int32_t end = ubrk_first(breaks_->iterator); end != UBRK_DONE; end = ubrk_next(breaks_->iterator)) {
        auto at = static_cast<std::size_t>(end);
        if (at < text.size()) {
            const bool is_wide = is_behind_wide_end(text, at);
            if ((u_islower(character_at(seen, at)) && !is_wide) || !ends_sentence(text, at, is_small) ||
                is_quoted_in_sentence(text, at)) {
                continue;
            }
            at = behind_quotation(text, behind_markdown(text, before_opening_mark(text, at)));
        }
        if (at == std::string_view::npos || at <= begin) {
            continue;
        }
        const TextRange sentence = trimmed(text, {begin, at});
        if (at < text.size() && is_item_number(sentence.of(text))) {
            continue;
        }
        if (sentence.size() > 0) {
            sentences.push_back(sentence);
        }
        begin = at;
    }
    utext_close(&view);
    return sentences;
}

bool SentenceSplitter::ends_sentence(std::string_view text, std::size_t at, bool is_small) const {
    if (at == 0 || is_inside_name(text, at)) {
        return false;
    }
    const std::vector<std::string_view> words =
        words_of(text.substr(at < 200 ? 0 : at - 200, std::min<std::size_t>(at, 200)));
    if (words.empty()) {
        return true;
    }
    const std::string_view word = without_reference(without_opening(words.back()));
    const std::string_view behind = text.substr(at);
    const std::vector<std::string_view> next = words_of(behind.substr(0, 20));
    std::string following = next.empty() ? std::string() : std::string(next.front());
    while (!following.empty() && (following.back() == ',' || following.back() == ';' || following.back() == ')')) {
        following.pop_back();
    }
    const auto before = [&words](std::size_t count) {
        return words.size() > count ? std::string(words[words.size() - 1 - count]) : std::string();
    };
    if (is_initial(word) && is_initial(following) && (is_small || u_islower(character_at(word, 0)))) {
        return false;  // "j. r. r. tolkien", "e. V."
    }
    if (is_small && is_initial(word) && is_initial(before(1))) {
        return false;
    }
    if (is_unit(word, before(1)) && !is_initial(following)) {
        return true;
    }
    const std::string last(word);
    if (is_spaced_acronym(before(1) + last) && !abbreviations_.continues(before(1) + last, behind)) {
        return true;
    }
    // Abbreviations may have spaces inside: "u. a.", "i. d. R.", "EE. UU."
    const std::array<std::string, 7> readings{last,
                                              std::string(last_part(word)),
                                              is_small ? as_abbreviation(word) : last,
                                              before(1) + last,
                                              last + following,
                                              before(1) + last + following,
                                              before(2) + before(1) + last};
    return std::none_of(readings.begin(), readings.end(), [this, behind](const std::string& reading) {
        return abbreviations_.continues(reading, behind);
    });
}

bool is_locale(const std::string& locale) {
    return !known_language(locale).empty();
}

TextRange trimmed(std::string_view text, TextRange range) {
    const std::vector<std::string_view> words = words_of(range.of(text));
    if (words.empty()) {
        return {range.begin, range.begin};
    }
    const auto begin = static_cast<std::size_t>(words.front().data() - text.data());
    const auto end = static_cast<std::size_t>(words.back().data() - text.data()) + words.back().size();
    return {begin, end};
}

}  // namespace softalign
