#include "document/word_tokens.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "document/text_units.h"
#include "text/words.h"

namespace softalign {

namespace {

bool is_punctuation(std::string_view unit) {
    return !has_letter(unit) && !has_digit(unit);
}

}  // namespace

std::vector<WordToken> word_tokens(std::string_view text) {
    std::vector<WordToken> tokens;
    std::size_t number = 0;
    for (const std::string_view word : words_of(text)) {
        const auto begin = static_cast<std::size_t>(word.data() - text.data());
        TextRange core{word.size(), 0};
        for (const TextRange& unit : units_of(word)) {
            if (!is_punctuation(unit.of(word))) {
                core = {std::min(core.begin, unit.begin), unit.end};
            }
        }
        if (core.begin >= core.end) {
            tokens.push_back({{begin, begin + word.size()}, number, true});
        } else {
            for (const TextRange& part : {TextRange{0, core.begin}, core, TextRange{core.end, word.size()}}) {
                if (part.size() > 0) {
                    tokens.push_back({{begin + part.begin, begin + part.end}, number, !(part == core)});
                }
            }
        }
        ++number;
    }
    return tokens;
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
