#include "document/translated_words.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
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
    const bool is_reference = starts_with(word, "&") && ends_with(word, ";");
    if (ends_phrase(punctuation.substr(0, 1)) && ends_phrase(word) && !is_reference) {
        if (pauses.find(word.back()) != std::string_view::npos) {
            word.pop_back();
        } else if (pauses.find(punctuation.front()) == std::string_view::npos) {
            return word + punctuation.substr(1);
        }
    }
    return word + punctuation;
}

// What half of the day a word is.
HalfOfDay half_of_day(std::string_view word) {
    const std::string core = lower_ascii(core_of(word));
    if (core == "am" || core == "a.m") {
        return HalfOfDay::before_noon;
    }
    return core == "pm" || core == "p.m" ? HalfOfDay::after_noon : HalfOfDay::none;
}

}  // namespace

HalfOfDay half_behind(std::string_view rest, std::string_view next, std::string_view second) {
    const HalfOfDay in_word = half_of_day(rest);
    if (in_word != HalfOfDay::none) {
        return in_word;
    }
    const bool is_divided = next.size() == 2 && next.back() == '.' && lower_ascii(core_of(second)) == "m";
    return half_of_day(std::string(next) + (is_divided ? "m" : ""));
}

TranslatedWords::TranslatedWords(std::string_view text, const WordLinks& links, const GivenText& given,
                                 std::set<std::string> of_source)
    : own_(given.own), of_source_(std::move(of_source)) {
    for (const std::string& number : of_source_) {
        digits_of_source_.insert(digits_of(number));
    }
    const std::vector<std::string_view> words = words_of(text);
    for (std::size_t i = 0; i < words.size(); ++i) {
        Word& word = words_.emplace_back();
        word.links = i < links.size() ? links[i] : std::vector<float>();
        word.strongest = word.links.empty() ? 0.0F : *std::max_element(word.links.begin(), word.links.end());
        set_text(word, std::string(words[i]));
    }
    for (std::size_t i = size(); i-- > 0;) {
        set_times(i);
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

bool TranslatedWords::claim(std::string_view number, std::size_t source) {
    const std::vector<std::string> parts = parts_of(number);
    const std::size_t made = made_of(source, number);
    const float least = made < size() ? link(made, source) : 0.0F;
    for (std::size_t i = 0; i < size(); ++i) {
        Word& word = words_[i];
        if (word.parts.empty() || word.origin == Origin::phrase || link(i, source) < least) {
            continue;
        }
        const bool is_signed = parts.size() == 1 && word.parts == parts && has_sign(word.core) && !has_sign(number);
        const bool is_scaled =
            is_without_zeros(number, word.core) || (word.core.front() == '.' && is_without_zeros(word.core, number));
        const bool has_numbers = is_compound(word.core, word.text);
        bool is_claimed = is_signed || (is_scaled && !has_numbers);
        if (is_claimed) {
            word.parts.clear();
        } else if (has_numbers && number.front() != '.') {
            is_claimed = take_parts(word.parts, parts);
        }
        if (is_claimed) {
            word.is_free = false;
            return true;
        }
    }
    return false;
}

bool TranslatedWords::claim_parts(std::string_view number, std::size_t source, const Spare& spare) {
    if (!is_compound(number, number)) {
        return false;
    }
    std::set<std::size_t> claimed;
    const auto is_spare = [&](std::size_t word) {
        const auto same =
            std::count_if(claimed.begin(), claimed.end(), [&](std::size_t one) { return is(one, words_[word].core); });
        return spare(word, source) > static_cast<std::size_t>(same);
    };
    for (const std::string& part : parts_of(number)) {
        std::size_t best = words_.size();
        for (std::size_t i = 0; i < words_.size(); ++i) {
            const bool is_part = words_[i].origin != Origin::phrase && !words_[i].numbers.empty() &&
                                 claimed.count(i) == 0 && (is(i, part) || is(i, without_zeros(part)));
            if (is_part && (best == words_.size() || link(i, source) > link(best, source)) && is_spare(i)) {
                best = i;
            }
        }
        if (best == words_.size()) {
            return false;
        }
        claimed.insert(best);
    }
    for (const std::size_t word : claimed) {
        use_up(words_[word]);
    }
    return true;
}

bool TranslatedWords::claim_times(const std::vector<Time>& times, std::size_t source, const Spare& spare) {
    std::map<std::size_t, std::vector<Time>> left;  // of the words that have some of these times
    const auto times_left = [&](std::size_t word) {
        const auto found = left.find(word);
        return found == left.end() ? words_[word].times : found->second;
    };
    const auto is_spare = [&](std::size_t word) {
        const std::vector<std::string>& numbers = words_[word].numbers;
        const auto same = std::count_if(left.begin(), left.end(),
                                        [&](const auto& one) { return words_[one.first].numbers == numbers; });
        return numbers.empty() || left.count(word) > 0 || spare(word, source) > static_cast<std::size_t>(same);
    };
    for (const Time& time : times) {
        const auto is_same = [&time](const Time& other) { return is_same_time(time, other); };
        std::size_t best = words_.size();
        for (std::size_t i = 0; i < words_.size(); ++i) {
            if (words_[i].times.empty() || words_[i].origin == Origin::phrase) {
                continue;
            }
            const std::vector<Time> all = times_left(i);
            if (std::any_of(all.begin(), all.end(), is_same) &&
                (best == words_.size() || link(i, source) > link(best, source)) && is_spare(i)) {
                best = i;
            }
        }
        if (best == words_.size()) {
            return false;
        }
        std::vector<Time> all = times_left(best);
        all.erase(std::find_if(all.begin(), all.end(), is_same));
        left[best] = std::move(all);
    }
    for (const auto& [word, rest] : left) {
        use_up(words_[word]);
        words_[word].times = rest;
    }
    return !left.empty();
}

std::size_t TranslatedWords::made_of(std::size_t source, std::string_view number) const {
    const std::string digits = digits_of(number);
    const std::size_t parts = parts_of(number).size() + (number.front() == '.' ? 1 : 0);
    const auto may_be = [&](const Word& word) {
        return !has_digit(word.core) || parts_of(word.core).size() == parts || digits_of(word.core) == digits;
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
        words_[word - 1].text = with_end(words_[word - 1].text, behind);
    }
    if (word + 1 < words_.size()) {
        words_[word + 1].text.insert(0, join(before, ""));
    }
    words_.erase(words_.begin() + static_cast<std::ptrdiff_t>(word));
}

void TranslatedWords::use_up(Word& word) {
    word.numbers.clear();
    word.parts.clear();
    word.times.clear();
    word.is_free = false;
}

void TranslatedWords::set_times(std::size_t word) {
    if (words_[word].numbers.size() != 1) {
        return;
    }
    std::vector<Time> behind;
    constexpr std::size_t joined = 2;  // 5 in "3 to 5"
    for (std::size_t i = word + 1; i < size() && i <= word + joined && behind.empty(); ++i) {
        behind = words_[i].times;
    }
    const std::string_view core = words_[word].core;
    const std::string_view number = words_[word].numbers.front();
    const std::size_t begin = core.rfind(number);  // nowhere in "−5m", whose sign is no part of the core
    const std::string_view rest =
        begin == std::string_view::npos ? std::string_view() : core.substr(begin + number.size());
    const auto text_of = [this](std::size_t one) {
        return one < size() ? std::string_view(words_[one].text) : std::string_view();
    };
    words_[word].times = times_of(number, half_behind(rest, text_of(word + 1), text_of(word + 2)), behind);
}

void TranslatedWords::set_text(Word& word, std::string text) const {
    word.text = std::move(text);
    word.numbers.clear();
    word.times.clear();
    for (const TextRange& number : numbers_in_words_of(word.text)) {
        word.numbers.emplace_back(number.of(word.text));
    }
    const bool is_of_source = std::any_of(word.numbers.begin(), word.numbers.end(),
                                          [this](const auto& number) { return of_source_.count(number) > 0; });
    word.core = core_of(word.text);
    const std::vector<TextRange> numbers = numbers_of(word.text);
    const bool is_other = !is_of_source && numbers.size() == 1 && numbers.front().of(word.text) == word.core;
    word.is_free = !word.core.empty() && (!has_digit(word.text) || is_other);
    word.parts = is_other ? parts_of(word.core) : std::vector<std::string>();
    const bool is_signed = word.parts.size() == 1 && has_sign(word.core);
    if (is_other && !is_signed && digits_of_source_.count(digits_of(word.core)) > 0) {
        word.parts.clear();  // a number of the source in another spelling
    }
}

}  // namespace softalign
