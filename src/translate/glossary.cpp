#include "translate/glossary.h"

#include <unicode/normalizer2.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "document/icu_status.h"
#include "document/kept_spans.h"
#include "document/plain_signs.h"
#include "document/text_range.h"
#include "document/text_units.h"
#include "text/line_reader.h"
#include "text/placeholder_pieces.h"
#include "text/words.h"
#include "translate/target_constraints.h"

namespace softalign {

namespace {

// In NFC.
std::string normalized(std::string text) {
    UErrorCode status = U_ZERO_ERROR;
    const icu::Normalizer2* form = icu::Normalizer2::getNFCInstance(status);
    if (U_SUCCESS(status) && !form->isNormalizedUTF8(text, status)) {
        const icu::UnicodeString composed = form->normalize(icu::UnicodeString::fromUTF8(text), status);
        text.clear();
        composed.toUTF8String(text);
    }
    require_icu(status, "normalise a text");
    return text;
}

// The same for all spellings of a word that look alike.
std::string spelling_of(std::string_view word) {
    return normalized(with_plain_signs(word, [](std::string_view) { return true; }));
}

std::string without_case(const std::string& word) {
    std::string folded;
    icu::UnicodeString::fromUTF8(word).foldCase().toUTF8String(folded);
    return normalized(std::move(folded));
}

std::vector<std::string> spellings_of(std::string_view text, const std::vector<TextRange>& parts) {
    std::vector<std::string> words;
    words.reserve(parts.size());
    for (const TextRange& part : parts) {
        words.push_back(spelling_of(part.of(text)));
    }
    return words;
}

std::vector<std::string> without_case(std::vector<std::string> words) {
    for (std::string& word : words) {
        word = without_case(word);
    }
    return words;
}

bool is_word(std::string_view unit) {
    return (has_letter(unit) || has_digit(unit)) && !has_unspaced(unit);
}

// Whether what is between two words makes them one: "well-known", "example.com", "R&D", "3,5".
bool joins(std::string_view before, std::string_view between, std::string_view behind) {
    for (const std::string_view always : {"-", "\xE2\x80\x90", "\xE2\x80\x91", ".", "@", "&"}) {
        if (between == always) {
            return true;
        }
    }
    return is_joiner(between) || ((between == "," || between == ":") && !has_letter(before) && !has_letter(behind));
}

// Words, and single characters: punctuation, and those of scripts without spaces between words.
std::vector<TextRange> parts_of(std::string_view text) {
    const std::vector<TextRange> units = units_of(text);
    std::vector<TextRange> parts;
    for (std::size_t i = 0; i < units.size(); ++i) {
        TextRange part = units[i];
        while (i + 2 < units.size() && units[i].end == units[i + 1].begin && units[i + 1].end == units[i + 2].begin &&
               is_word(units[i].of(text)) && is_word(units[i + 2].of(text)) &&
               joins(units[i].of(text), units[i + 1].of(text), units[i + 2].of(text))) {
            i += 2;
            part.end = units[i].end;
        }
        parts.push_back(part);
    }
    return parts;
}

}  // namespace

Glossary::Glossary(const std::string& path, const Tokenizer& target) {
    LineReader reader(path);
    for (std::string line; reader.next(line);) {
        reader.require_utf8(line);
        if (is_blank(line) || line.front() == '#') {
            continue;
        }
        const std::string place = reader.place() + ": ";
        const std::size_t tab = line.find('\t');
        if (tab == std::string::npos || line.find('\t', tab + 1) != std::string::npos) {
            throw Error(ExitCode::data,
                        place + "not an entry of a glossary; write a term, one tab and its translation");
        }
        try {
            add(line.substr(0, tab), line.substr(tab + 1), target);
        } catch (const Error& error) {
            throw Error(error.code(), place + error.what());
        }
    }
}

void Glossary::add(const std::string& source, const std::string& target, const Tokenizer& vocabulary) {
    const std::vector<std::string> words = spellings_of(source, parts_of(source));
    if (std::all_of(words.begin(), words.end(), is_joiner)) {
        throw Error(ExitCode::data, "a term of the glossary is empty; write it in front of its translation");
    }
    if (is_blank(target)) {
        throw Error(ExitCode::data, "the glossary has no translation of '" + beginning_of(source) +
                                        "'; write it after the tab, or remove the line");
    }
    constexpr std::size_t most_bytes = 1000;
    if (target.size() > most_bytes) {
        throw Error(ExitCode::data, "a translation in the glossary has " + std::to_string(target.size()) +
                                        " bytes; give at most " + std::to_string(most_bytes));
    }
    if (find_placeholder(target, 0) != std::string::npos && count_placeholders(vocabulary) > 0) {
        throw Error(ExitCode::data, "the translation '" + beginning_of(target) +
                                        "' in the glossary has a placeholder, which stands for a span of the source "
                                        "(vocabulary.placeholders); remove it");
    }
    phrase_pieces(target, vocabulary);  // throws where it cannot be written
    std::optional<std::string>& there = translation_of(words, as_spelled);
    if (there.value_or(target) != target) {
        throw Error(ExitCode::data,
                    "the glossary translates " + source + " as " + *there + " and as " + target + "; keep one of them");
    }
    size_ += there ? 0 : 1;
    there = target;
    const bool is_small =
        std::all_of(words.begin(), words.end(), [](const auto& word) { return lower_cased(word) == word; });
    if (const std::vector<std::string> small = without_case(words); is_small && small != words) {
        std::optional<std::string>& other = translation_of(small, folded);
        other = other.value_or(target);
    }
}

std::optional<std::string>& Glossary::translation_of(const std::vector<std::string>& words, std::size_t root) {
    std::size_t node = root;
    for (const std::string& word : words) {
        const auto [edge, is_new] = nodes_[node].next.try_emplace(word, nodes_.size());
        node = edge->second;
        if (is_new) {
            nodes_.emplace_back();
        }
    }
    return nodes_[node].translation;
}

Glossary::Match Glossary::longest_at(const std::vector<std::string>& words, std::size_t begin, std::size_t root) const {
    Match longest;
    std::size_t node = root;
    for (std::size_t i = begin; i < words.size(); ++i) {
        const auto edge = nodes_[node].next.find(words[i]);
        if (edge == nodes_[node].next.end()) {
            break;
        }
        node = edge->second;
        if (nodes_[node].translation) {
            longest = {i + 1 - begin, &*nodes_[node].translation};
        }
    }
    return longest;
}

std::vector<Glossary::Found> Glossary::find(std::string_view text) const {
    std::vector<Found> found;
    if (size_ == 0) {
        return found;
    }
    const std::vector<TextRange> parts = parts_of(text);
    const std::vector<std::string> words = spellings_of(text, parts);
    const std::vector<std::string> small = without_case(words);
    for (std::size_t begin = 0; begin < words.size();) {
        Match best = longest_at(words, begin, as_spelled);
        for (const std::size_t root : {as_spelled, folded}) {
            const Match other = longest_at(small, begin, root);
            best = other.words > best.words ? other : best;
        }
        if (best.words > 0) {
            found.push_back({{parts[begin].begin, parts[begin + best.words - 1].end}, *best.translation});
        }
        begin += std::max<std::size_t>(best.words, 1);
    }
    return found;
}

}  // namespace softalign
