#include "document/kept_numbers.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
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
};

std::vector<Number> source_numbers(std::string_view text) {
    std::vector<Number> numbers;
    const std::vector<std::string_view> words = words_of(text);
    std::size_t word = 0;
    for (const TextRange& range : numbers_of(text)) {
        while (word + 1 < words.size() &&
               static_cast<std::size_t>(words[word + 1].data() - text.data()) <= range.begin) {
            ++word;
        }
        numbers.push_back({range, word});
    }
    return numbers;
}

// The words of a translation, each with its links.
class Words {
public:
    enum class Origin { model, phrase, prefix };

    Words(std::string_view text, const WordLinks& links, const GivenText& given, std::string_view source)
        : links_(links), own_(given.own) {
        for (const TextRange& number : numbers_in_words_of(source)) {
            of_source_.emplace_back(number.of(source));
        }
        const std::vector<std::string_view> words = words_of(text);
        words_.assign(words.begin(), words.end());
        links_.resize(words_.size());
        origins_.resize(words_.size(), Origin::model);
        for (const std::string& phrase : given.phrases) {
            for (const TextRange& run : runs_of(words_of(phrase), words)) {
                std::fill_n(origins_.begin() + static_cast<std::ptrdiff_t>(run.begin), run.size(), Origin::phrase);
            }
        }
        std::fill_n(origins_.begin(), std::min(words_.size(), words_of(given.prefix).size()), Origin::prefix);
    }

    Origin origin(std::size_t word) const { return origins_[word]; }

    // Without those that the phrases brought along.
    std::vector<std::size_t> with(std::string_view number) const {
        std::vector<std::size_t> found;
        auto own = std::count(own_.begin(), own_.end(), number);
        for (std::size_t i = 0; i < words_.size(); ++i) {
            for (const TextRange& range : numbers_in_words_of(words_[i])) {
                if (range.of(words_[i]) != number) {
                    continue;
                }
                if (own > 0 && origins_[i] == Origin::phrase) {
                    --own;
                } else {
                    found.push_back(i);
                }
            }
        }
        return found;
    }

    // Whether the word is this number and punctuation at most.
    bool is(std::size_t word, std::string_view number) const {
        const std::vector<WordToken> tokens = word_tokens(words_[word]);
        return !has_placeholder(word) && std::any_of(tokens.begin(), tokens.end(), [&](const WordToken& token) {
            return !token.punctuation && token.range.of(words_[word]) == number;
        });
    }

    float link(std::size_t word, std::size_t source) const {
        return source < links_[word].size() ? links_[word][source] : 0.0F;
    }

    // The word that comes from this one of the source more than from any other, and is of no phrase and has no number,
    // or is one that the source does not have; size() if none does.
    std::size_t made_of(std::size_t source) const {
        std::size_t best = words_.size();
        for (std::size_t i = 0; i < words_.size(); ++i) {
            const std::vector<float>& row = links_[i];
            const bool is_most =
                !row.empty() && link(i, source) > 0.0F && link(i, source) >= *std::max_element(row.begin(), row.end());
            const bool is_free = !has_digit(words_[i]) || is_other_number(i);
            if (is_most && origins_[i] != Origin::phrase && is_free && !has_placeholder(i) && has_core(i) &&
                (best == words_.size() || link(i, source) > link(best, source))) {
                best = i;
            }
        }
        return best;
    }

    // Puts a number in the place of what a word is besides punctuation.
    void replace(std::size_t word, std::string_view number) {
        for (const WordToken& token : word_tokens(words_[word])) {
            if (!token.punctuation) {
                words_[word].replace(token.range.begin, token.range.size(), number);
                return;
            }
        }
    }

    // The punctuation behind it goes to the word before.
    void erase(std::size_t word) {
        const std::vector<WordToken> tokens = word_tokens(words_[word]);
        if (word > 0 && tokens.back().punctuation) {
            words_[word - 1] += tokens.back().range.of(words_[word]);
        }
        words_.erase(words_.begin() + static_cast<std::ptrdiff_t>(word));
        links_.erase(links_.begin() + static_cast<std::ptrdiff_t>(word));
        origins_.erase(origins_.begin() + static_cast<std::ptrdiff_t>(word));
    }

    std::size_t size() const { return words_.size(); }

    std::string text() const { return join(words_, " "); }
    WordLinks take_links() { return std::move(links_); }

private:
    // Whether the word is a number that the source does not have.
    bool is_other_number(std::size_t word) const {
        const std::vector<TextRange> numbers = numbers_of(words_[word]);
        const std::string number = numbers.size() == 1 ? std::string(numbers.front().of(words_[word])) : "";
        return !number.empty() && is(word, number) &&
               std::find(of_source_.begin(), of_source_.end(), number) == of_source_.end();
    }
    bool has_placeholder(std::size_t word) const { return find_placeholder(words_[word], 0) != std::string_view::npos; }
    bool has_core(std::size_t word) const {
        const std::vector<WordToken> tokens = word_tokens(words_[word]);
        return std::any_of(tokens.begin(), tokens.end(), [](const WordToken& token) { return !token.punctuation; });
    }

    std::vector<std::string> words_;
    WordLinks links_;
    const std::vector<std::string>& own_;
    std::vector<std::string> of_source_;  // numbers
    std::vector<Origin> origins_;
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

}  // namespace

LinkedTranslation with_numbers(const MarkedSentence& source, const std::string& translation, const WordLinks& links,
                               const GivenText& given) {
    LinkedTranslation result{source, translation, links};
    if (has_unspaced(source.text) || has_unspaced(translation)) {
        return result;
    }
    std::map<std::string_view, std::vector<Number>> wanted;
    for (const Number& number : source_numbers(source.text)) {
        wanted[number.range.of(source.text)].push_back(number);
    }
    for (const std::string& number : given.lost) {
        const auto same = wanted.find(number);
        if (same != wanted.end() && !same->second.empty()) {
            same->second.erase(same->second.begin());
        }
    }
    Words words(translation, links, given, source.text);
    bool changed = false;
    for (auto& [spelled, numbers] : wanted) {
        std::vector<std::size_t> found = words.with(spelled);
        while (found.size() > numbers.size()) {
            std::vector<std::size_t> removable;
            std::copy_if(found.begin(), found.end(), std::back_inserter(removable),
                         [&words, &number = spelled](std::size_t word) {
                             return words.origin(word) == Words::Origin::model && words.is(word, number);
                         });
            if (removable.empty()) {
                break;
            }
            const auto weight = [&words, &all = numbers](std::size_t word) {
                float most = 0.0F;
                for (const Number& number : all) {
                    most = std::max(most, words.link(word, number.word));
                }
                return most;
            };
            words.erase(*std::min_element(removable.begin(), removable.end(),
                                          [&](std::size_t a, std::size_t b) { return weight(a) < weight(b); }));
            found = words.with(spelled);
            changed = true;
        }
        // Those with the weakest links to what there is are missing.
        std::sort(numbers.begin(), numbers.end(), [&](const Number& a, const Number& b) {
            const auto weight = [&](const Number& number) {
                float most = 0.0F;
                for (const std::size_t word : found) {
                    most = std::max(most, words.link(word, number.word));
                }
                return most;
            };
            return weight(a) < weight(b) || (weight(a) == weight(b) && a.range.begin > b.range.begin);
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
        result.links = words.take_links();
    }
    return result;
}

}  // namespace softalign
