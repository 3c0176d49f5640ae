#include "document/word_tokens.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "document/kept_spans.h"
#include "document/placeholders.h"
#include "document/text_units.h"
#include "text/words.h"

namespace softalign {

namespace {

bool is_punctuation(std::string_view unit) {
    return !has_letter(unit) && !has_digit(unit);
}

// Adds a part of a word, which begins there, as its tokens.
void add_part(std::string_view part, std::size_t begin, std::size_t word, std::vector<WordToken>& tokens) {
    TextRange core{part.size(), 0};
    for (const TextRange& unit : units_of(part)) {
        if (!is_punctuation(unit.of(part))) {
            core = {std::min(core.begin, unit.begin), unit.end};
        }
    }
    if (core.begin >= core.end) {
        core = {part.size(), part.size()};
    }
    for (const TextRange& range : {TextRange{0, core.begin}, core, TextRange{core.end, part.size()}}) {
        if (range.size() > 0) {
            tokens.push_back({{begin + range.begin, begin + range.end}, word, !(range == core)});
        }
    }
}

}  // namespace

std::vector<WordToken> word_tokens(std::string_view text) {
    std::vector<WordToken> tokens;
    std::size_t number = 0;
    for (const std::string_view word : words_of(text)) {
        const auto begin = static_cast<std::size_t>(word.data() - text.data());
        std::size_t done = 0;
        for (const TextRange& held : placeholders_in(word)) {
            add_part(word.substr(done, held.begin - done), begin + done, number, tokens);
            tokens.push_back({{begin + held.begin, begin + held.end}, number, false});
            done = held.end;
        }
        add_part(word.substr(done), begin + done, number, tokens);
        ++number;
    }
    return tokens;
}

std::vector<WordToken> signed_tokens(std::string_view text) {
    std::vector<WordToken> tokens = word_tokens(text);
    for (const TextRange& number : numbers_of(text)) {
        const auto behind = std::partition_point(tokens.begin(), tokens.end(), [number](const WordToken& token) {
            return token.range.begin <= number.begin;
        });
        if (behind == tokens.begin() || behind == tokens.end() || behind->range.begin >= number.end) {
            continue;
        }
        if (const auto sign = behind - 1; sign->punctuation) {
            sign->range.end = number.begin;
            behind->range.begin = number.begin;
        }
    }
    tokens.erase(
        std::remove_if(tokens.begin(), tokens.end(), [](const WordToken& token) { return token.range.size() == 0; }),
        tokens.end());
    return tokens;
}

std::vector<TextRange> runs_of(const std::vector<std::string_view>& phrase,
                               const std::vector<std::string_view>& words) {
    std::vector<TextRange> runs;
    const auto is_in = [](std::string_view part, std::string_view word) {
        return word.find(part) != std::string_view::npos;
    };
    for (std::size_t i = 0; !phrase.empty() && i + phrase.size() <= words.size(); ++i) {
        if (std::equal(phrase.begin(), phrase.end(), words.begin() + static_cast<std::ptrdiff_t>(i), is_in)) {
            runs.push_back({i, i + phrase.size()});
        }
    }
    return runs;
}

std::vector<std::vector<float>> token_links(const std::vector<std::vector<float>>& of_words,
                                            const std::vector<WordToken>& source,
                                            const std::vector<WordToken>& target) {
    // Of each word of the source, whether it has tokens that are no punctuation, and such that are.
    const std::size_t words = source.empty() ? 0 : source.back().word + 1;
    std::vector<std::vector<bool>> has{std::vector<bool>(words), std::vector<bool>(words)};
    for (const WordToken& token : source) {
        has[token.punctuation ? 1 : 0][token.word] = true;
    }
    std::vector<std::vector<float>> links(target.size(), std::vector<float>(source.size(), 0.0F));
    for (std::size_t t = 0; t < target.size(); ++t) {
        for (std::size_t s = 0; s < source.size(); ++s) {
            const bool known = target[t].word < of_words.size() && source[s].word < of_words[target[t].word].size();
            const bool fits =
                source[s].punctuation == target[t].punctuation || !has[target[t].punctuation ? 1 : 0][source[s].word];
            links[t][s] = known && fits ? of_words[target[t].word][source[s].word] : 0.0F;
        }
    }
    return links;
}

}  // namespace softalign
