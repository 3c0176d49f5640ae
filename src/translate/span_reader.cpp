#include "translate/span_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "document/amounts.h"
#include "document/placeholders.h"
#include "document/plain_signs.h"
#include "document/span_patterns.h"
#include "document/text_units.h"
#include "document/word_tokens.h"
#include "text/placeholder_pieces.h"

namespace softalign {

namespace {

constexpr std::size_t known_number = 2;  // pieces

// What is kept as a whole where the vocabulary lacks a part: words, or characters where there are no spaces and of
// punctuation, so that a full stop behind a sign stays one.
std::vector<WordToken> unknown_tokens(std::string_view text) {
    std::vector<WordToken> tokens;
    bool is_open = false;  // whether the last one has a bracket that the next character may close
    const auto opened = [](std::string_view word) {
        return std::count(word.begin(), word.end(), '(') - std::count(word.begin(), word.end(), ')');
    };
    for (const WordToken& token : word_tokens(text)) {
        const std::string_view word = token.range.of(text);
        const bool touches = !tokens.empty() && tokens.back().range.end == token.range.begin;
        if (!has_unspaced(word) && !token.punctuation) {
            tokens.push_back(token);
            if (touches && text[token.range.begin - 1] == '(' && opened(word) < 0) {  // "(0)30"
                tokens.pop_back();
                tokens.back() = {{tokens.back().range.begin, token.range.end}, token.word, false};
            }
            is_open = opened(word) > 0;
            continue;
        }
        for (const TextRange& unit : units_of(word)) {
            if (is_open && unit.begin == 0 && touches && unit.of(word) == ")") {  // "30(0)"
                ++tokens.back().range.end;
                continue;
            }
            tokens.push_back(
                {{token.range.begin + unit.begin, token.range.begin + unit.end}, token.word, token.punctuation});
        }
    }
    return tokens;
}

// The first range that ends at or behind a place. REQUIRES: they are in order.
std::vector<TextRange>::const_iterator first_up_to(const std::vector<TextRange>& ranges, std::size_t place) {
    return std::lower_bound(ranges.begin(), ranges.end(), place,
                            [](TextRange range, std::size_t at) { return range.end < at; });
}

// Whether one of the ranges ends where this one begins, or begins where it ends.
bool touches_any(TextRange range, const std::vector<TextRange>& ranges) {
    const auto before = first_up_to(ranges, range.begin);
    const auto behind = first_up_to(ranges, range.end + 1);
    return (before != ranges.end() && before->end == range.begin) ||
           (behind != ranges.end() && behind->begin == range.end);
}

bool is_among(TextRange range, const std::vector<TextRange>& ranges) {
    const auto found = first_up_to(ranges, range.end);
    return found != ranges.end() && *found == range;
}

// Whether the span lies in one of the parts.
bool is_inside(TextRange span, const std::vector<TextRange>& parts) {
    const auto part = first_up_to(parts, span.end);
    return part != parts.end() && part->begin <= span.begin;
}

// Whether the span has a part of one of the others and not the whole of it.
bool cuts(TextRange span, const std::vector<TextRange>& others) {
    for (auto other = first_up_to(others, span.begin + 1); other != others.end() && other->begin < span.end; ++other) {
        if (other->begin < span.begin || other->end > span.end) {
            return true;
        }
    }
    return false;
}

// Whether a number has letters or digits on both sides, beyond tags, such as that of "H<sub>2</sub>O".
bool is_within_word(TextRange number, std::string_view text) {
    return ends_with_word(text.substr(0, number.begin)) && begins_with_word(text.substr(number.end));
}

// Adds what is found in the parts of a text between the spans.
template <typename Find>
void add_between(std::string_view text, const std::vector<TextRange>& parts, std::vector<TextRange>& spans,
                 const Find& find) {
    std::vector<TextRange> found;
    auto span = spans.begin();
    for (const TextRange& part : parts) {
        for (std::size_t done = part.begin; done < part.end;) {
            span = std::find_if(span, spans.end(), [done](TextRange one) { return one.end > done; });
            const bool is_inside = span != spans.end() && span->begin < part.end;
            const std::size_t end = is_inside ? std::max(span->begin, done) : part.end;
            for (const TextRange& one : find(text.substr(done, end - done))) {
                found.push_back({done + one.begin, done + one.end});
            }
            done = is_inside ? span->end : part.end;
        }
    }
    add_apart(spans, found);
}

// Adds the numbers that overlap none of the spans; of compounds that begin with a letter, such as "RFC-2616", as much
// as lies between those spans in one of the parts: the model could do nothing with what is left.
void add_with_compounds(std::string_view text, const std::vector<TextRange>& parts, std::vector<TextRange>& spans,
                        const std::vector<TextRange>& numbers) {
    std::vector<TextRange> added;
    TextRange compound;
    for (const TextRange& number : numbers) {
        const auto part = first_up_to(parts, number.end);
        const auto next = first_up_to(spans, number.begin + 1);
        if (part == parts.end() || (next != spans.end() && next->begin < number.end)) {
            continue;
        }
        if (!compound.contains(number)) {
            const std::size_t begin = next == spans.begin() ? 0 : (next - 1)->end;
            const std::size_t end = next == spans.end() ? text.size() : next->begin;
            const TextRange room{std::max(part->begin, begin), std::min(part->end, end)};
            compound = is_in_compound(text, number) ? compound_around(text, number, room) : number;
        }
        const std::string_view first = text.substr(compound.begin);
        TextRange span = begins_with_word(first) && !has_digit(first.substr(0, 1)) ? compound : number;
        for (; !added.empty() && added.back().end > span.begin; added.pop_back()) {
            span = {std::min(span.begin, added.back().begin), std::max(span.end, added.back().end)};
        }
        added.push_back(span);
    }
    add_apart(spans, added);
}

// Without escapes, which are white space.
std::vector<TextRange> without_escapes(std::vector<TextRange> spans, std::string_view text) {
    spans.erase(std::remove_if(spans.begin(), spans.end(), [text](TextRange span) { return is_escape(span.of(text)); }),
                spans.end());
    return spans;
}

}  // namespace

SpanReader::SpanReader(const TokenizerPair& tokenizers, const std::vector<std::string>& patterns)
    : source_(tokenizers.source),
      common_(true, {}),
      given_(false, patterns),
      placeholders_(count_placeholders(tokenizers.source, tokenizers.target)) {}

std::size_t SpanReader::count_unknown(std::string_view text) const {
    const std::vector<std::int32_t> ids = source_.encode(text);
    return static_cast<std::size_t>(std::count(ids.begin(), ids.end(), source_.special().unk));
}

std::string SpanReader::with_plain_signs(std::string_view text) const {
    return softalign::with_plain_signs(text, [this](std::string_view sign) { return count_unknown(sign) > 0; });
}

// Whether the vocabulary has pieces for the word, or for it in lower case.
bool SpanReader::knows(std::string_view word) const {
    const std::string plain = with_plain_signs(word);
    return count_unknown(plain) == 0 || count_unknown(lower_cased(plain)) == 0;
}

// Words and runs of characters with a letter or sign that the model does not know.
std::vector<TextRange> SpanReader::unknown_in(std::string_view text) const {
    std::vector<TextRange> unknown;
    for (const WordToken& token : count_unknown(text) > 0 ? unknown_tokens(text) : std::vector<WordToken>()) {
        const std::string_view word = token.range.of(text);
        // Such punctuation may end sentences, and says little.
        const bool is_plain =
            token.punctuation && with_plain_signs(word).find_first_not_of(".,;:!?'\"`()-") == std::string::npos;
        if (is_plain || knows(word)) {
            continue;
        }
        const bool touches = !unknown.empty() && unknown.back().end == token.range.begin;
        if (touches && (!token.punctuation || ends_with(unknown.back().of(text), word))) {
            unknown.back().end = token.range.end;
        } else {
            unknown.push_back(token.range);
        }
    }
    return unknown;
}

// Amounts that the model does not know, and other words that have more than a number: "20°C–25°C".
std::vector<TextRange> SpanReader::unknown_with_numbers_in(std::string_view text) const {
    std::vector<TextRange> amounts = amounts_of(text);
    const auto is_known = [&](TextRange amount) { return knows(amount.of(text)); };
    amounts.erase(std::remove_if(amounts.begin(), amounts.end(), is_known), amounts.end());
    const std::vector<TextRange> numbers = numbers_of(text);
    std::vector<TextRange> words = numbers.empty() ? std::vector<TextRange>() : unknown_in(text);
    std::transform(words.begin(), words.end(), words.begin(), [text](TextRange word) { return with_sign(text, word); });
    const auto has_no_more = [&numbers](TextRange word) {
        const auto number = first_up_to(numbers, word.begin + 1);
        return number == numbers.end() || !word.contains(*number) || *number == word || cuts(word, numbers);
    };
    words.erase(std::remove_if(words.begin(), words.end(), has_no_more), words.end());
    add_apart(amounts, words);
    return amounts;
}

// With the common spans that overlap none of those given, and with numbers: all, or those that the model may not know.
std::vector<TextRange> SpanReader::with_common(const MarkedText& line, const std::vector<TextRange>& parts,
                                               std::vector<TextRange> spans, bool all_numbers) const {
    const std::string_view text = line.text;
    const auto in_parts = [&](const auto& find) {
        std::vector<TextRange> all;
        for (const TextRange& part : parts) {
            for (const TextRange& one : find(part.of(text))) {
                all.push_back({part.begin + one.begin, part.begin + one.end});
            }
        }
        return all;
    };
    add_apart(spans, in_parts([this](std::string_view part) { return common_.find(part); }));
    add_between(text, parts, spans, [this](std::string_view part) { return unknown_with_numbers_in(part); });
    std::vector<TextRange> atoms;
    for (const Atom& atom : line.atoms) {
        atoms.push_back(atom.range);
    }
    const std::vector<TextRange> whole = numbers_of(text);
    std::vector<TextRange> numbers = in_parts(numbers_of);
    const auto has_few_pieces = [&](TextRange number) {
        return source_.encode(number.of(text)).size() <= known_number;
    };
    const auto is_of_word = [&](TextRange one) { return is_within_word(one, text) && has_few_pieces(one); };
    numbers.erase(std::remove_if(numbers.begin(), numbers.end(), is_of_word), numbers.end());
    // A number in many pieces is one that the model cannot know; one with placeholders was trained without numbers.
    // What is taken out beside it would have it become a part of something else. Of one in groups, it may see several.
    std::vector<TextRange> beside = without_escapes(spans, text);
    const auto is_known = [&](TextRange number) {
        return !all_numbers && placeholders_ == 0 && is_among(number, whole) && !has_groups(number.of(text)) &&
               !touches_any(number, atoms) && !touches_any(number, beside) && has_few_pieces(number);
    };
    const auto known = std::stable_partition(numbers.begin(), numbers.end(), std::not_fn(is_known));
    const std::vector<TextRange> unknown(numbers.begin(), known);
    numbers.erase(numbers.begin(), known);
    if (all_numbers || placeholders_ > 0) {
        add_apart(spans, unknown);
    } else {
        add_with_compounds(text, parts, spans, unknown);
    }
    add_between(text, parts, spans, [this](std::string_view part) { return unknown_in(part); });
    beside = without_escapes(spans, text);
    const auto is_apart = [&beside](TextRange number) { return !touches_any(number, beside); };
    numbers.erase(std::remove_if(numbers.begin(), numbers.end(), is_apart), numbers.end());
    add_apart(spans, numbers);
    return spans;
}

std::vector<TextRange> SpanReader::in_line(const MarkedText& line, bool common) const {
    const std::string_view text = line.text;
    const std::vector<TextRange> parts = parts_between_marks(line);
    std::vector<TextRange> spans;
    for (const TextRange& span : placeholders_ > 0 ? placeholders_in(text) : std::vector<TextRange>()) {
        if (is_inside(span, parts)) {
            spans.push_back(span);
        }
    }
    const std::vector<TextRange> known =
        common && !given_.finds_nothing() ? with_common(line, parts, spans, true) : std::vector<TextRange>();
    add_apart(spans, given_.find(text, [&](TextRange span) { return is_inside(span, parts) && !cuts(span, known); }));
    return common ? with_common(line, parts, std::move(spans), false) : spans;
}

std::vector<TextRange> SpanReader::in_asked(std::string_view text, bool common) const {
    const auto with_others = [&](std::vector<TextRange> spans) {
        add_apart(spans, common ? common_.find(text) : std::vector<TextRange>());
        if (common) {
            add_between(text, {{0, text.size()}}, spans,
                        [this](std::string_view part) { return unknown_with_numbers_in(part); });
        }
        add_apart(spans, numbers_of(text));
        if (common) {
            add_between(text, {{0, text.size()}}, spans, [this](std::string_view part) { return unknown_in(part); });
        }
        return spans;
    };
    const std::vector<TextRange> known = common && !given_.finds_nothing() ? with_others({}) : std::vector<TextRange>();
    return with_others(given_.find(text, [&known](TextRange span) { return !cuts(span, known); }));
}

}  // namespace softalign
