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
        if (c == '.' || c == '!' || c == '?') {
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

// Whether the quotation goes on, as French writes it: "« Oui. » Elle".
bool closes_quotation(std::string_view behind) {
    constexpr std::string_view mark = "\u00BB";
    return behind.substr(0, mark.size()) == mark &&
           (behind.size() == mark.size() || u_isUWhiteSpace(character_at(behind, mark.size())));
}

// What ICU is to see: an object is a name.
std::string readable(std::string result) {
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
        const auto at = static_cast<std::size_t>(end);
        if (at < text.size() && (u_islower(character_at(seen, at)) || !ends_sentence(text, at, is_small))) {
            continue;
        }
        const TextRange sentence = trimmed(text, {begin, at});
        if (sentence.size() > 0) {
            sentences.push_back(sentence);
        }
        begin = at;
    }
    utext_close(&view);
    return sentences;
}

bool SentenceSplitter::ends_sentence(std::string_view text, std::size_t at, bool is_small) const {
    if (at == 0 || is_inside_name(text, at) || closes_quotation(text.substr(at))) {
        return false;
    }
    const std::vector<std::string_view> words =
        words_of(text.substr(at < 200 ? 0 : at - 200, std::min<std::size_t>(at, 200)));
    if (words.empty()) {
        return true;
    }
    std::string_view word = words.back();
    while (!word.empty() &&
           (word.front() == '(' || word.front() == '[' || word.front() == '"' || word.front() == '\'')) {
        word.remove_prefix(1);
    }
    const std::string_view behind = text.substr(at);
    const std::vector<std::string_view> next = words_of(behind.substr(0, 20));
    const std::string following = next.empty() ? std::string() : std::string(next.front());
    const auto before = [&words](std::size_t count) {
        return words.size() > count ? std::string(words[words.size() - 1 - count]) : std::string();
    };
    if (is_small && is_initial(word) && (is_initial(before(1)) || is_initial(following))) {
        return false;  // "j. r. r. tolkien"
    }
    const std::string last(word);
    // Abbreviations may have spaces inside: "u. a.", "i. d. R.", "EE. UU."
    const std::array<std::string, 6> readings{last,
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
