#include "document/translated_words.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "document/characters.h"
#include "document/kept_spans.h"
#include "document/text_units.h"
#include "document/word_tokens.h"
#include "text/placeholder_pieces.h"
#include "text/words.h"

namespace softalign {

namespace {

std::string digits_of(std::string_view text) {
    std::string digits;
    std::copy_if(text.begin(), text.end(), std::back_inserter(digits), is_digit);
    return digits;
}

// The digits of numbers, without zeros in front: 2024, 1 and 5 of "2024-01-05".
std::vector<std::string> groups_of(std::string_view text) {
    std::vector<std::string> groups;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!is_digit(text[i])) {
            continue;
        }
        if (i == 0 || !is_digit(text[i - 1])) {
            groups.emplace_back();
        } else if (groups.back() == "0") {
            groups.back().clear();
        }
        groups.back() += text[i];
    }
    return groups;
}

// A word without the punctuation around it; nothing where it has a placeholder.
std::string core_of(std::string_view word) {
    if (find_placeholder(word, 0) != std::string_view::npos) {
        return "";
    }
    const std::vector<WordToken> tokens = signed_tokens(word);
    const auto core =
        std::find_if(tokens.begin(), tokens.end(), [](const WordToken& token) { return !token.punctuation; });
    return core == tokens.end() ? "" : std::string(core->range.of(word));
}

// A word with more punctuation: "hunde," with "." is "hunde.", and "hunde!" stays.
std::string with_end(std::string word, const std::string& punctuation) {
    const std::string_view pauses = ",;:";
    if (ends_phrase(punctuation.substr(0, 1)) && ends_phrase(word)) {
        if (pauses.find(word.back()) != std::string_view::npos) {
            word.pop_back();
        } else if (pauses.find(punctuation.front()) == std::string_view::npos) {
            return word + punctuation.substr(1);
        }
    }
    return word + punctuation;
}

}  // namespace

TranslatedWords::TranslatedWords(std::string_view text, const WordLinks& links, const GivenText& given,
                                 std::set<std::string> of_source)
    : own_(given.own), of_source_(std::move(of_source)) {
    const std::vector<std::string_view> words = words_of(text);
    for (std::size_t i = 0; i < words.size(); ++i) {
        Word& word = words_.emplace_back();
        word.links = i < links.size() ? links[i] : std::vector<float>();
        word.strongest = word.links.empty() ? 0.0F : *std::max_element(word.links.begin(), word.links.end());
        set_text(word, std::string(words[i]));
    }
    for (const std::string& phrase : given.phrases) {
        for (const TextRange& run : runs_of(words_of(phrase), words)) {
            for (std::size_t i = run.begin; i < run.end; ++i) {
                words_[i].origin = Origin::phrase;
            }
        }
    }
    const std::size_t in_prefix = std::min(words_.size(), words_of(given.prefix).size());
    for (std::size_t i = 0; i < in_prefix; ++i) {
        words_[i].origin = Origin::prefix;
    }
}

float TranslatedWords::link(std::size_t word, std::size_t source) const {
    return source < words_[word].links.size() ? words_[word].links[source] : 0.0F;
}

std::string TranslatedWords::text() const {
    std::vector<std::string> texts;
    std::transform(words_.begin(), words_.end(), std::back_inserter(texts), [](const Word& word) { return word.text; });
    return join(texts, " ");
}

WordLinks TranslatedWords::links() const {
    WordLinks links;
    std::transform(words_.begin(), words_.end(), std::back_inserter(links),
                   [](const Word& word) { return word.links; });
    return links;
}

std::vector<std::size_t> TranslatedWords::with(std::string_view number) const {
    std::vector<std::size_t> found;
    auto own = std::count(own_.begin(), own_.end(), number);
    for (std::size_t i = 0; i < words_.size(); ++i) {
        for (auto count = std::count(words_[i].numbers.begin(), words_[i].numbers.end(), number); count > 0; --count) {
            if (own > 0 && words_[i].origin == Origin::phrase) {
                --own;
            } else {
                found.push_back(i);
            }
        }
    }
    return found;
}

// Where there are all of these, each by itself; nothing if one is missing.
std::vector<TranslatedWords::Place> TranslatedWords::places_of(const std::vector<std::string>& groups) const {
    std::vector<std::string> missing = groups;
    std::vector<Place> places;
    for (std::size_t i = 0; i < words_.size() && !missing.empty(); ++i) {
        const std::vector<std::string>& others = words_[i].others;
        for (std::size_t k = 0; k < others.size() && words_[i].origin != Origin::phrase; ++k) {
            const auto group = std::find(missing.begin(), missing.end(), others[k]);
            if (group != missing.end()) {
                missing.erase(group);
                places.push_back({i, k});
            }
        }
    }
    return missing.empty() ? places : std::vector<Place>();
}

bool TranslatedWords::take_digits_of(std::string_view number) {
    const std::vector<std::string> groups = groups_of(number);
    const bool is_signed = !is_digit(number.front()) && number.front() != '.';
    const std::vector<Place> places = groups.size() == 1 && is_signed ? std::vector<Place>() : places_of(groups);
    if (places.empty() || (places.size() > 1 && places.front().word == places.back().word &&
                           words_[places.front().word].others.size() == places.size())) {
        return false;
    }
    for (const Place& place : places) {
        words_[place.word].others[place.group].clear();
        words_[place.word].is_free = false;
    }
    return true;
}

std::size_t TranslatedWords::made_of(std::size_t source, std::string_view number) const {
    const std::string digits = digits_of(number);
    const std::size_t parts = groups_of(number).size();
    const auto may_be = [&](const Word& word) {
        return word.others.empty() || word.others.size() == parts || digits_of(word.core) == digits;
    };
    std::size_t best = words_.size();
    std::pair<bool, float> highest;  // 5 rather than "minus" of "minus 5", for -5
    for (std::size_t i = 0; i < words_.size(); ++i) {
        const bool is_most = link(i, source) > 0.0F && link(i, source) >= words_[i].strongest;
        if (is_most && words_[i].is_free && words_[i].origin != Origin::phrase && may_be(words_[i])) {
            const std::pair<bool, float> rank(digits_of(words_[i].core) == digits, link(i, source));
            best = rank > highest ? i : best;
            highest = std::max(rank, highest);
        }
    }
    return best;
}

void TranslatedWords::replace(std::size_t word, std::string_view number) {
    for (const WordToken& token : signed_tokens(words_[word].text)) {
        if (!token.punctuation) {
            std::string text = words_[word].text;
            set_text(words_[word], text.replace(token.range.begin, token.range.size(), number));
            return;
        }
    }
}

void TranslatedWords::erase(std::size_t word) {
    const std::string text = words_[word].text;
    std::vector<std::string> before;
    std::string behind;
    for (const WordToken& token : signed_tokens(text)) {
        const std::string_view part = token.punctuation ? token.range.of(text) : std::string_view();
        for (const TextRange& unit : units_of(part)) {
            const std::string mark(unit.of(part));
            if (token.range.begin == 0 && opens(mark)) {
                before.push_back(mark);
            } else if (closes(mark) && !before.empty()) {
                before.pop_back();
            } else if (closes(mark) || ends_phrase(mark)) {
                behind += mark;
            }
        }
    }
    if (word > 0 && !ends_with(words_[word - 1].text, behind)) {
        set_text(words_[word - 1], with_end(words_[word - 1].text, behind));
    }
    if (word + 1 < words_.size() && !before.empty()) {
        set_text(words_[word + 1], join(before, "") + words_[word + 1].text);
    }
    words_.erase(words_.begin() + static_cast<std::ptrdiff_t>(word));
}

void TranslatedWords::set_text(Word& word, std::string text) const {
    word.text = std::move(text);
    word.numbers.clear();
    for (const TextRange& number : numbers_in_words_of(word.text)) {
        word.numbers.emplace_back(number.of(word.text));
    }
    const bool is_of_source = std::any_of(word.numbers.begin(), word.numbers.end(),
                                          [this](const auto& number) { return of_source_.count(number) > 0; });
    word.others = is_of_source ? std::vector<std::string>() : groups_of(word.text);
    word.core = core_of(word.text);
    // A number only by itself, and of those that the source does not have.
    const std::vector<TextRange> numbers = numbers_of(word.text);
    const bool is_number = numbers.size() == 1 && numbers.front().of(word.text) == word.core;
    word.is_free = !word.core.empty() && (!has_digit(word.text) || (is_number && !is_of_source));
}

}  // namespace softalign
