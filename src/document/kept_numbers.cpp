#include "document/kept_numbers.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/kept_spans.h"
#include "document/number_forms.h"
#include "document/text_units.h"
#include "document/translated_words.h"
#include "text/words.h"

namespace softalign {

namespace {

struct Number {
    TextRange range;          // of the source
    std::size_t word = 0;     // that it is in
    bool apart = true;        // from letters, such as those of "5km" and "5-year-old"
    std::vector<Time> times;  // that it may be
    float linked = 0.0F;      // to the same number in the translation
};

std::vector<Number> source_numbers(std::string_view text) {
    std::vector<Number> numbers;
    const std::vector<std::string_view> words = words_of(text);
    std::size_t word = 0;
    const std::vector<TextRange> all_apart = numbers_of(text);
    auto apart = all_apart.begin();
    for (const TextRange& range : numbers_in_words_of(text)) {
        while (word + 1 < words.size() &&
               static_cast<std::size_t>(words[word + 1].data() - text.data()) <= range.begin) {
            ++word;
        }
        apart = std::find_if(apart, all_apart.end(), [range](TextRange one) { return one.begin >= range.begin; });
        const bool is_apart = apart != all_apart.end() && *apart == range && !is_in_compound(text, range);
        numbers.push_back({range, word, is_apart, {}, 0.0F});
    }
    for (std::size_t i = numbers.size(); i-- > 0;) {
        Number& number = numbers[i];
        const std::size_t next = number.word + 1;
        const std::string_view word = words[number.word];
        const std::size_t end = number.range.end - static_cast<std::size_t>(word.data() - text.data());
        const auto word_at = [&words](std::size_t one) { return one < words.size() ? words[one] : std::string_view(); };
        const HalfOfDay half = half_behind(word.substr(std::min(end, word.size())), word_at(next), word_at(next + 1));
        const bool is_joined = i + 1 < numbers.size() && numbers[i + 1].word <= next + 1;  // as in "3 to 5"
        number.times = times_of(number.range.of(text), half, is_joined ? numbers[i + 1].times : std::vector<Time>());
    }
    return numbers;
}

// Adds a copy of a number to the innermost tag that the number is in. A tag without other words goes with the copy.
void add_copy(MarkedSentence& source, TextRange number, std::string_view spelled) {
    std::size_t outer = MarkedSentence::nothing;
    for (std::size_t i = 0; i < source.tags.size(); ++i) {
        TextRange& tag = source.tags[i].range;
        if (tag.contains(number)) {
            outer = i;
            tag.end = tag == number ? tag.begin : tag.end;
        }
    }
    constexpr std::size_t behind_all =
        std::numeric_limits<std::size_t>::max();  // that are at the same place of the text
    source.copies.push_back({number.begin, outer, behind_all, std::string(spelled), true, true});
}

// The same number in a source.
struct Wanted {
    std::vector<Number> numbers;
    std::vector<Number> in_words;  // such as "5km"
    bool stands_apart = false;     // whether it is not only in words
};

// The words of a translation that have a number.
struct Found {
    std::vector<std::size_t> words;  // without those that are more than the number, for as many in words of the source
    std::size_t left = 0;            // words of the source that are left without one
};

Found found(std::string_view number, const Wanted& wanted, const TranslatedWords& words) {
    Found result{words.with(number), wanted.in_words.size()};
    for (std::size_t i = 0; i < result.words.size() && result.left > 0;) {
        if (words.is(result.words[i], number)) {
            ++i;
        } else {
            result.words.erase(result.words.begin() + static_cast<std::ptrdiff_t>(i));
            --result.left;
        }
    }
    return result;
}

// The strongest link of a word to one of these.
float strongest_link(std::size_t word, const std::vector<Number>& numbers, const TranslatedWords& words) {
    float most = 0.0F;
    for (const Number& number : numbers) {
        most = std::max(most, words.link(word, number.word));
    }
    return most;
}

// Removes the words that are a number too often, those first that have least to do with it. Returns whether there were
// any.
bool remove_surplus(std::string_view number, const Wanted& wanted, TranslatedWords& words) {
    const auto [all, left] = found(number, wanted, words);
    const std::size_t enough = wanted.numbers.size() + left;
    if (all.size() <= enough) {
        return false;
    }
    std::vector<std::pair<float, std::size_t>> removable;
    for (const std::size_t word : all) {
        if (words.origin(word) == TranslatedWords::Origin::model && words.is(word, number)) {
            const float others = left > 0 ? strongest_link(word, wanted.in_words, words) : 0.0F;
            removable.emplace_back(std::max(strongest_link(word, wanted.numbers, words), others), word);
        }
    }
    std::sort(removable.begin(), removable.end());
    removable.resize(std::min(removable.size(), all.size() - enough));
    // From the end, so that the places of those before stay.
    std::sort(removable.begin(), removable.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [link, word] : removable) {
        words.erase(word);
    }
    return !removable.empty();
}

// Those with the weakest links to what there is.
std::vector<Number> missing(std::string_view number, const Wanted& wanted, const TranslatedWords& words) {
    const std::vector<std::size_t> all = found(number, wanted, words).words;
    std::vector<Number> numbers = wanted.numbers;
    for (Number& one : numbers) {
        for (const std::size_t word : all) {
            one.linked = std::max(one.linked, words.link(word, one.word));
        }
    }
    std::sort(numbers.begin(), numbers.end(), [](const Number& a, const Number& b) {
        return a.linked < b.linked || (a.linked == b.linked && a.range.begin > b.range.begin);
    });
    numbers.resize(numbers.size() - std::min(numbers.size(), all.size()));
    return numbers;
}

}  // namespace

LinkedTranslation with_numbers(const MarkedSentence& source, const std::string& translation, const WordLinks& links,
                               const GivenText& given) {
    LinkedTranslation result{source, translation, links};
    if (has_unspaced(source.text) || has_unspaced(translation)) {
        return result;
    }
    std::map<std::string_view, Wanted> wanted;
    std::set<std::string> all;
    for (const Number& number : source_numbers(source.text)) {
        const std::string_view spelled = number.range.of(source.text);
        Wanted& same = wanted[spelled];
        (number.apart ? same.numbers : same.in_words).push_back(number);
        same.stands_apart = same.stands_apart || number.apart;
        all.emplace(spelled);
    }
    for (const std::string& number : given.lost) {
        const auto same = wanted.find(number);
        if (same != wanted.end() && !same->second.numbers.empty()) {
            same->second.numbers.erase(same->second.numbers.begin());
        }
    }
    TranslatedWords words(translation, links, given, std::move(all));
    const auto spare = [&](std::size_t word, std::size_t source_word) -> std::size_t {
        const std::string& number = words.number_of(word);
        static const Wanted none;
        const auto known = wanted.find(number);
        const Wanted& same = known == wanted.end() ? none : known->second;
        const auto [all, left] = found(number, same, words);
        if (std::find(all.begin(), all.end(), word) == all.end()) {
            return 0;
        }
        const bool is_of_word = strongest_link(word, same.in_words, words) >= words.link(word, source_word);
        return all.size() - std::min(all.size(), same.numbers.size() + (is_of_word ? left : 0));
    };
    for (auto& [spelled, same] : wanted) {
        for (const Number& number : missing(spelled, same, words)) {
            if (words.claim_parts(spelled, number.word, spare) || words.claim_times(number.times, number.word, spare)) {
                const auto is_same = [&](const Number& one) { return one.range == number.range; };
                same.numbers.erase(std::find_if(same.numbers.begin(), same.numbers.end(), is_same));
            }
        }
    }
    bool changed = false;
    for (const auto& [spelled, same] : wanted) {
        changed = (same.stands_apart && remove_surplus(spelled, same, words)) || changed;
    }
    for (const auto& [spelled, same] : wanted) {
        for (const Number& number : missing(spelled, same, words)) {
            if (words.claim(spelled, number.word)) {
                continue;
            }
            const std::size_t word = words.made_of(number.word, spelled);
            const bool is_given = word < words.size() && words.origin(word) == TranslatedWords::Origin::prefix;
            constexpr float mostly = 0.5F;
            if (is_given && words.link(word, number.word) > mostly) {
                continue;  // somebody wrote it otherwise
            }
            changed = true;
            if (word < words.size() && !is_given) {
                words.replace(word, spelled);
            } else {
                add_copy(result.source, number.range, spelled);
            }
        }
    }
    if (changed) {
        std::sort(result.source.copies.begin(), result.source.copies.end(), is_in_front);
        result.text = words.text();
        result.links = words.links();
    }
    return result;
}

}  // namespace softalign
