#include "document/kept_numbers.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "document/kept_spans.h"
#include "document/text_units.h"
#include "document/word_tokens.h"
#include "text/placeholder_pieces.h"
#include "text/words.h"

namespace softalign {

namespace {

struct Number {
    TextRange range;       // of the source
    std::size_t word = 0;  // that it is in
    bool apart = true;     // without letters behind it, such as those of "5km"
    float linked = 0.0F;   // to the same number in the translation
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
        numbers.push_back({range, word, apart != all_apart.end() && *apart == range, 0.0F});
    }
    return numbers;
}

// The words of a translation, each with its links.
class Words {
public:
    enum class Origin { model, phrase, prefix };

    // `of_source`: the numbers of the source, also those in words.
    Words(std::string_view text, const WordLinks& links, const GivenText& given, std::set<std::string> of_source)
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

    Origin origin(std::size_t word) const { return words_[word].origin; }

    // Without those that the phrases brought along.
    std::vector<std::size_t> with(std::string_view number) const {
        std::vector<std::size_t> found;
        auto own = std::count(own_.begin(), own_.end(), number);
        for (std::size_t i = 0; i < words_.size(); ++i) {
            for (auto count = std::count(words_[i].numbers.begin(), words_[i].numbers.end(), number); count > 0;
                 --count) {
                if (own > 0 && words_[i].origin == Origin::phrase) {
                    --own;
                } else {
                    found.push_back(i);
                }
            }
        }
        return found;
    }

    // Whether the word is this number and punctuation at most.
    bool is(std::size_t word, std::string_view number) const { return words_[word].core == number; }

    float link(std::size_t word, std::size_t source) const {
        return source < words_[word].links.size() ? words_[word].links[source] : 0.0F;
    }

    // The strongest to the word of one of these.
    float link(std::size_t word, const std::vector<Number>& numbers) const {
        float most = 0.0F;
        for (const Number& number : numbers) {
            most = std::max(most, link(word, number.word));
        }
        return most;
    }

    // The word that comes from this one of the source more than from any other, and is of no phrase and has no number,
    // or is one that the source does not have; size() if none does.
    std::size_t made_of(std::size_t source) const {
        std::size_t best = words_.size();
        for (std::size_t i = 0; i < words_.size(); ++i) {
            const bool is_most = link(i, source) > 0.0F && link(i, source) >= words_[i].strongest;
            if (is_most && words_[i].is_free && words_[i].origin != Origin::phrase &&
                (best == words_.size() || link(i, source) > link(best, source))) {
                best = i;
            }
        }
        return best;
    }

    // Puts a number in the place of what a word is besides punctuation.
    void replace(std::size_t word, std::string_view number) {
        for (const WordToken& token : signed_tokens(words_[word].text)) {
            if (!token.punctuation) {
                std::string text = words_[word].text;
                set_text(words_[word], text.replace(token.range.begin, token.range.size(), number));
                return;
            }
        }
    }

    // The word before gets what ends a phrase, and the words beside it get brackets and quotation marks of which it has
    // only one half.
    void erase(std::size_t word) {
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
            set_text(words_[word - 1], words_[word - 1].text + behind);
        }
        if (word + 1 < words_.size() && !before.empty()) {
            set_text(words_[word + 1], join(before, "") + words_[word + 1].text);
        }
        words_.erase(words_.begin() + static_cast<std::ptrdiff_t>(word));
    }

    std::size_t size() const { return words_.size(); }

    std::string text() const {
        std::vector<std::string> texts;
        std::transform(words_.begin(), words_.end(), std::back_inserter(texts),
                       [](const Word& word) { return word.text; });
        return join(texts, " ");
    }
    WordLinks links() const {
        WordLinks links;
        std::transform(words_.begin(), words_.end(), std::back_inserter(links),
                       [](const Word& word) { return word.links; });
        return links;
    }

private:
    struct Word {
        std::vector<float> links;
        Origin origin = Origin::model;
        std::string text;
        std::string core;                  // without the punctuation around it; empty where it has a placeholder
        std::vector<std::string> numbers;  // in it
        float strongest = 0.0F;            // of its links
        bool is_free = false;              // for a number, but for its origin
    };

    void set_text(Word& word, std::string text) const {
        word.text = std::move(text);
        word.numbers.clear();
        for (const TextRange& number : numbers_in_words_of(word.text)) {
            word.numbers.emplace_back(number.of(word.text));
        }
        word.core = core_of(word.text);
        word.is_free = !word.core.empty() && (!has_digit(word.text) || is_other_number(word));
    }

    static std::string core_of(std::string_view word) {
        if (find_placeholder(word, 0) != std::string_view::npos) {
            return "";
        }
        const std::vector<WordToken> tokens = signed_tokens(word);
        const auto core =
            std::find_if(tokens.begin(), tokens.end(), [](const WordToken& token) { return !token.punctuation; });
        return core == tokens.end() ? "" : std::string(core->range.of(word));
    }
    // Whether the word is a number that the source does not have.
    bool is_other_number(const Word& word) const {
        const std::vector<TextRange> numbers = numbers_of(word.text);
        return numbers.size() == 1 && numbers.front().of(word.text) == word.core && of_source_.count(word.core) == 0;
    }

    std::vector<Word> words_;
    const std::vector<std::string>& own_;
    std::set<std::string> of_source_;  // numbers
};

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

// Of a number that the source also has in so many words, such as "5km", removes the words of the translation that are
// more than the number from those found. Returns how many words of the source are left without one.
std::size_t leave_to_words(std::string_view number, std::size_t count, const Words& words,
                           std::vector<std::size_t>& found) {
    for (std::size_t i = 0; i < found.size() && count > 0;) {
        if (words.is(found[i], number)) {
            ++i;
        } else {
            found.erase(found.begin() + static_cast<std::ptrdiff_t>(i));
            --count;
        }
    }
    return count;
}

}  // namespace

LinkedTranslation with_numbers(const MarkedSentence& source, const std::string& translation, const WordLinks& links,
                               const GivenText& given) {
    LinkedTranslation result{source, translation, links};
    if (has_unspaced(source.text) || has_unspaced(translation)) {
        return result;
    }
    std::map<std::string_view, std::vector<Number>> wanted;
    std::map<std::string_view, std::vector<Number>> in_words;
    std::set<std::string> all;
    for (const Number& number : source_numbers(source.text)) {
        (number.apart ? wanted : in_words)[number.range.of(source.text)].push_back(number);
        all.emplace(number.range.of(source.text));
    }
    for (const std::string& number : given.lost) {
        const auto same = wanted.find(number);
        if (same != wanted.end() && !same->second.empty()) {
            same->second.erase(same->second.begin());
        }
    }
    Words words(translation, links, given, std::move(all));
    bool changed = false;
    for (auto& [spelled, numbers] : wanted) {
        std::vector<std::size_t> found = words.with(spelled);
        const std::vector<Number>& others = in_words[spelled];
        const std::size_t left = leave_to_words(spelled, others.size(), words, found);
        if (found.size() > numbers.size() + left) {
            std::vector<std::pair<float, std::size_t>> removable;
            for (std::size_t i = 0; i < found.size(); ++i) {
                if (words.origin(found[i]) == Words::Origin::model && words.is(found[i], spelled)) {
                    const float most =
                        std::max(words.link(found[i], numbers), left > 0 ? words.link(found[i], others) : 0.0F);
                    removable.emplace_back(most, i);
                }
            }
            std::sort(removable.begin(), removable.end());
            removable.resize(std::min(removable.size(), found.size() - numbers.size() - left));
            std::vector<std::size_t> weakest;
            std::transform(removable.begin(), removable.end(), std::back_inserter(weakest),
                           [](const auto& one) { return one.second; });
            std::sort(weakest.rbegin(), weakest.rend());
            for (const std::size_t i : weakest) {
                words.erase(found[i]);
                found.erase(found.begin() + static_cast<std::ptrdiff_t>(i));
                std::for_each(found.begin() + static_cast<std::ptrdiff_t>(i), found.end(),
                              [](std::size_t& word) { --word; });
                changed = true;
            }
        }
        // Those with the weakest links to what there is are missing.
        for (Number& number : numbers) {
            for (const std::size_t word : found) {
                number.linked = std::max(number.linked, words.link(word, number.word));
            }
        }
        std::sort(numbers.begin(), numbers.end(), [](const Number& a, const Number& b) {
            return a.linked < b.linked || (a.linked == b.linked && a.range.begin > b.range.begin);
        });
        for (std::size_t i = 0; i + found.size() < numbers.size(); ++i) {
            const std::size_t word = words.made_of(numbers[i].word);
            const bool is_given = word < words.size() && words.origin(word) == Words::Origin::prefix;
            constexpr float mostly = 0.5F;
            if (is_given && words.link(word, numbers[i].word) > mostly) {
                continue;  // somebody wrote it otherwise
            }
            changed = true;
            if (word < words.size() && !is_given) {
                words.replace(word, spelled);
            } else {
                add_copy(result.source, numbers[i].range, spelled);
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
