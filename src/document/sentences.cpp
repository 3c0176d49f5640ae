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
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "document/characters.h"
#include "document/icu_status.h"
#include "document/sentence_ends.h"
#include "document/sentence_text.h"
#include "text/words.h"

namespace softalign {

namespace {

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
                    "--locale: '" + locale + "' is not the name of a language; give one such as en, de-CH or zh-Hant");
    }
    return language;
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

// "Mrs." of "Mr./Mrs.", "Ing." of "Dipl.-Ing.", "5." of "3.\u20135.", "av." of "l'av."
std::string_view last_part(std::string_view word) {
    std::size_t begin = 0;
    for (const std::string_view mark : {"-", "/", "'", "\u2013", "\u2019"}) {
        const std::size_t at = word.rfind(mark);
        begin = at == std::string_view::npos ? begin : std::max(begin, at + mark.size());
    }
    return word.substr(begin);
}

// "Fig." of "Fig.1"
std::string_view without_reference(std::string_view word) {
    const std::size_t end = word.find_last_not_of("0123456789");
    return end != std::string_view::npos && word[end] == '.' ? word.substr(0, end + 1) : word;
}

bool ends_with_digit(std::string_view word) {
    return !word.empty() && is_digit(word.back());
}

// Whether a word is a unit behind a number that is no year, as in "230 V." and "10 A.", and no initial of a name.
bool is_unit(std::string_view word, const std::string& number) {
    constexpr std::array<std::string_view, 6> units{"V.", "W.", "A.", "K.", "\u0412.", "\u0410."};
    constexpr std::size_t digits_of_year = 4;
    return std::find(units.begin(), units.end(), word) != units.end() && number.size() != digits_of_year &&
           number.find_first_not_of("0123456789.,") == std::string::npos && ends_with_digit(number);
}

// Whether two words together are an acronym that may end a sentence, and neither two initials of a name.
bool is_spaced_acronym(const std::string& word) {
    constexpr std::array<std::string_view, 7> known{"U.S.", "U.K.", "EE.UU.", "a.C.", "d.C.", "av.J.-C.", "apr.J.-C."};
    return std::find(known.begin(), known.end(), word) != known.end();
}

}  // namespace

struct SentenceSplitter::Breaks {
    explicit Breaks(const std::string& locale) {
        UErrorCode status = U_ZERO_ERROR;
        iterator = ubrk_open(UBRK_SENTENCE, locale.c_str(), nullptr, 0, &status);
        require_icu(status, "divide text into sentences");
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
    const std::string seen = as_unicode_expects(text, {is_small, abbreviations_.least_letters()});
    UErrorCode status = U_ZERO_ERROR;
    const icu::LocalUTextPointer view(
        utext_openUTF8(nullptr, seen.data(), static_cast<std::int64_t>(seen.size()), &status));
    ubrk_setUText(breaks_->iterator, view.getAlias(), &status);
    require_icu(status, "read a text");
    std::vector<TextRange> sentences;
    std::size_t begin = 0;
    std::size_t items = 0;  // where the numbers of items end that the sentence begins with
    for (std::int32_t end = ubrk_first(breaks_->iterator); end != UBRK_DONE; end = ubrk_next(breaks_->iterator)) {
        auto at = static_cast<std::size_t>(end);
        if (at < text.size()) {
            const bool is_wide = is_behind_wide_end(text, at);
            if ((u_islower(character_at(seen, at)) && !is_wide) || !ends_sentence(text, at, is_small) ||
                is_quoted_in_sentence(text, at)) {
                continue;
            }
            at = end_at(text, at);
        }
        if (at == std::string_view::npos || at <= begin) {
            continue;
        }
        const std::size_t rest = std::max(begin, items);
        if (at < text.size() && is_item_number(text.substr(rest, at - rest)) &&
            !is_turn(text.substr(behind_white_space(text, begin)), text.substr(at))) {
            items = at;
            continue;
        }
        const TextRange sentence = trimmed(text, {begin, at});
        if (sentence.size() > 0) {
            sentences.push_back(sentence);
        }
        begin = at;
    }
    return sentences;
}

bool SentenceSplitter::ends_sentence(std::string_view text, std::size_t at, bool is_small) const {
    if (at == 0 || is_inside_name(text, at)) {
        return false;
    }
    constexpr std::size_t most_before = 200;  // bytes that are read before the end
    constexpr std::size_t most_behind = 20;   // and behind it
    const std::size_t bytes_before = std::min(at, most_before);
    const std::vector<std::string_view> words = words_of(text.substr(at - bytes_before, bytes_before));
    if (words.empty()) {
        return true;
    }
    const std::string_view word = without_reference(without_opening(words.back()));
    const std::string_view behind = text.substr(at);
    const std::vector<std::string_view> next = words_of(behind.substr(0, most_behind));
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
    if (word == "\u0433.") {  // of a year, or of a city
        return ends_with_digit(before(1)) && following != "\u2116";
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
