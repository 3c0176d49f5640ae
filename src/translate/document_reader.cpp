#include "translate/document_reader.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "document/clauses.h"
#include "document/html_text.h"
#include "document/kept_numbers.h"
#include "document/mark_placement.h"
#include "document/placeholders.h"
#include "document/text_units.h"
#include "document/word_tokens.h"
#include "search/phrases.h"
#include "text/placeholder_pieces.h"
#include "text/words.h"
#include "translate/word_links.h"

namespace softalign {

namespace {

// What joins two translations; `between`: what is between their sources.
std::string joint_of(std::string_view between, std::string_view before, std::string_view behind) {
    const bool wide = ends_wide(before) && begins_wide(behind);
    if (between.empty()) {
        return wide || before.empty() || behind.empty() ? "" : " ";
    }
    return wide && between == " " ? "" : std::string(between);
}

constexpr std::size_t known_number = 2;  // pieces

// The pieces of a text that the vocabulary lacks.
std::size_t count_unknown(std::string_view text, const Tokenizer& tokenizer) {
    const std::vector<std::int32_t> ids = tokenizer.encode(text);
    return static_cast<std::size_t>(std::count(ids.begin(), ids.end(), tokenizer.special().unk));
}

// What is kept as a whole where the vocabulary lacks a part: words, or characters where there are no spaces.
std::vector<WordToken> unknown_tokens(std::string_view text) {
    std::vector<WordToken> tokens;
    for (const WordToken& token : word_tokens(text)) {
        const std::string_view word = token.range.of(text);
        if (!has_unspaced(word)) {
            tokens.push_back(token);
            continue;
        }
        for (const TextRange& unit : units_of(word)) {
            tokens.push_back(
                {{token.range.begin + unit.begin, token.range.begin + unit.end}, token.word, token.punctuation});
        }
    }
    return tokens;
}

// With the signs of ASCII in place of typographic ones that the vocabulary lacks.
std::string with_plain_signs(std::string_view text, const Tokenizer& tokenizer) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 16> signs{{{"\u2018", "'"},
                                                                                   {"\u2019", "'"},
                                                                                   {"\u201A", "'"},
                                                                                   {"\u02BC", "'"},
                                                                                   {"\u2032", "'"},
                                                                                   {"\u201C", "\""},
                                                                                   {"\u201D", "\""},
                                                                                   {"\u201E", "\""},
                                                                                   {"\u00AB", "\""},
                                                                                   {"\u00BB", "\""},
                                                                                   {"\u2010", "-"},
                                                                                   {"\u2011", "-"},
                                                                                   {"\u2013", "-"},
                                                                                   {"\u2014", "-"},
                                                                                   {"\u2212", "-"},
                                                                                   {"\u2026", "..."}}};
    std::string plain(text);
    for (const auto& [sign, ascii] : signs) {
        if (text.find(sign) != std::string_view::npos && count_unknown(sign, tokenizer) > 0) {
            for (std::size_t at = 0; (at = plain.find(sign, at)) != std::string::npos; at += ascii.size()) {
                plain.replace(at, sign.size(), ascii);
            }
        }
    }
    return plain;
}

// With spaces for line ends, at which sentences would end.
std::string in_one_line(std::string_view text) {
    std::string line(text);
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    return line;
}

std::vector<std::string> sorted_numbers(std::string_view text) {
    std::vector<std::string> numbers;
    for (const TextRange& number : has_digit(text) ? numbers_of(text) : std::vector<TextRange>()) {
        numbers.emplace_back(number.of(text));
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

// Adds the numbers that a text has more often than another.
void add_numbers(std::string_view text, std::string_view other, std::vector<std::string>& numbers) {
    const std::vector<std::string> all = sorted_numbers(text);
    const std::vector<std::string> others = sorted_numbers(other);
    std::set_difference(all.begin(), all.end(), others.begin(), others.end(), std::back_inserter(numbers));
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

// The spans that lie in one of the parts.
std::vector<TextRange> those_inside(std::vector<TextRange> spans, const std::vector<TextRange>& parts) {
    const auto crosses = [&parts](TextRange span) {
        const auto part = first_up_to(parts, span.end);
        return part == parts.end() || span.begin < part->begin;
    };
    spans.erase(std::remove_if(spans.begin(), spans.end(), crosses), spans.end());
    return spans;
}

// Without the spans that are part of a term.
std::vector<TextRange> outside_of_terms(std::vector<TextRange> spans, const std::vector<Glossary::Found>& terms) {
    const auto is_in_term = [&terms](TextRange span) {
        const auto term =
            std::lower_bound(terms.begin(), terms.end(), span.begin,
                             [](const Glossary::Found& found, std::size_t place) { return found.range.end <= place; });
        return term != terms.end() && term->range.begin <= span.begin && span.end <= term->range.end;
    };
    spans.erase(std::remove_if(spans.begin(), spans.end(), is_in_term), spans.end());
    return spans;
}

}  // namespace

bool SourceDocument::needs_links() const {
    return std::any_of(lines_.begin(), lines_.end(), [](const Line& line) {
        return std::any_of(line.sentences.begin(), line.sentences.end(),
                           [](const Sentence& sentence) { return sentence.translated && sentence.needs_links(); });
    });
}

std::vector<const SourceDocument::Sentence*> SourceDocument::translated() const {
    std::vector<const Sentence*> all;
    for (const Line& line : lines_) {
        for (const Sentence& sentence : line.sentences) {
            if (sentence.translated) {
                all.push_back(&sentence);
            }
        }
    }
    return all;
}

std::string SourceDocument::finished(const Sentence& sentence, const Translation& translation) const {
    LinkedTranslation whole{sentence.marked, translation.text,
                            sentence.needs_links() ? word_links(translation) : WordLinks()};
    if (has_placeholders_) {
        whole = with_held(std::move(whole));
    }
    if (sentence.has_numbers) {
        whole = with_numbers(whole.source, whole.text, whole.links, sentence.given);
    }
    return with_marks(whole.source, whole.text, whole.links, sentence.given.phrases);
}

std::string SourceDocument::text_of(const std::vector<std::string>& finished, std::vector<std::size_t>& begins) const {
    std::string text;
    std::size_t done = 0;
    for (const Line& line : lines_) {
        text.append(text_, done, line.range.begin - done);
        done = line.range.end;
        const std::size_t line_begin = text.size();
        for (std::size_t i = 0; i < line.sentences.size(); ++i) {
            const Sentence& sentence = line.sentences[i];
            const std::string& part = sentence.translated ? finished[begins.size()] : sentence.original;
            text +=
                i == 0 ? sentence.between : joint_of(sentence.between, std::string_view(text).substr(line_begin), part);
            if (sentence.translated) {
                begins.push_back(text.size());
            }
            text += part;
        }
        text += line.behind;
    }
    return text.append(text_, done, std::string::npos);
}

std::string SourceDocument::joined(const std::vector<const Translation*>& translations) const {
    std::vector<std::string> all;
    for (const Sentence* sentence : translated()) {
        all.push_back(finished(*sentence, *translations[all.size()]));
    }
    std::vector<std::size_t> begins;
    return text_of(all, begins);
}

RestoredText SourceDocument::restored(const std::vector<std::vector<Translation>>& translations) const {
    RestoredText result;
    std::vector<std::string> first;
    for (const Sentence* sentence : translated()) {
        RestoredSentence restored{"", sentence->original, {}, {}};
        for (const Translation& translation : translations[first.size()]) {
            restored.translations.push_back(finished(*sentence, translation));
        }
        for (const MarkedSentence::Copy& copy : sentence->marked.held) {
            restored.spans.push_back(copy.text);
        }
        first.push_back(restored.translations.front());
        result.sentences.push_back(std::move(restored));
    }
    std::vector<std::size_t> begins;
    result.text = text_of(first, begins);
    std::size_t done = 0;
    for (std::size_t i = 0; i < begins.size(); ++i) {
        result.sentences[i].before = result.text.substr(done, begins[i] - done);
        done = begins[i] + first[i].size();
    }
    result.behind = result.text.substr(done);
    return result;
}

DocumentReader::DocumentReader(const TokenizerPair& tokenizers, const DocumentOptions& options)
    : source_(tokenizers.source),
      options_(options),
      splitter_(options.locale, options.abbreviations),
      common_(true, {}),
      given_(false, options.kept_patterns),
      placeholders_(count_placeholders(tokenizers.source, tokenizers.target)) {}

// Words and runs of characters with a letter or sign that the model does not know.
std::vector<TextRange> DocumentReader::unknown_in(std::string_view text) const {
    std::vector<TextRange> unknown;
    for (const WordToken& token : count_unknown(text, source_) > 0 ? unknown_tokens(text) : std::vector<WordToken>()) {
        const std::string word = with_plain_signs(token.range.of(text), source_);
        // Punctuation of ASCII may end sentences, and says little.
        const bool is_plain =
            token.punctuation && std::all_of(word.begin(), word.end(), [](char c) { return (c & '\x80') == 0; });
        if (is_plain || count_unknown(word, source_) == 0 || count_unknown(lower_cased(word), source_) == 0) {
            continue;
        }
        if (!unknown.empty() && unknown.back().end == token.range.begin && !token.punctuation) {
            unknown.back().end = token.range.end;
        } else {
            unknown.push_back(token.range);
        }
    }
    return unknown;
}

// Adds what unknown_in finds in the parts of a text between the spans.
void DocumentReader::add_unknown(std::string_view text, const std::vector<TextRange>& parts,
                                 std::vector<TextRange>& spans) const {
    std::vector<TextRange> unknown;
    auto span = spans.begin();
    for (const TextRange& part : parts) {
        for (std::size_t done = part.begin; done < part.end;) {
            span = std::find_if(span, spans.end(), [done](TextRange one) { return one.end > done; });
            const bool is_inside = span != spans.end() && span->begin < part.end;
            const std::size_t end = is_inside ? std::max(span->begin, done) : part.end;
            for (const TextRange& one : unknown_in(text.substr(done, end - done))) {
                unknown.push_back({done + one.begin, done + one.end});
            }
            done = is_inside ? span->end : part.end;
        }
    }
    add_apart(spans, unknown);
}

// What is kept of a text, but for numbers that the model may know and that are whole.
std::vector<TextRange> DocumentReader::spans_of(const MarkedText& line, bool common) const {
    const std::string_view text = line.text;
    const std::vector<TextRange> parts = parts_between_marks(line);
    std::vector<TextRange> spans =
        those_inside(placeholders_ > 0 ? placeholders_in(text) : std::vector<TextRange>(), parts);
    add_apart(spans, those_inside(given_.find(text), parts));
    if (!common) {
        return spans;
    }
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
    std::vector<TextRange> atoms;
    for (const Atom& atom : line.atoms) {
        atoms.push_back(atom.range);
    }
    const std::vector<TextRange> whole = numbers_of(text);
    std::vector<TextRange> numbers = in_parts(numbers_of);
    // A number in many pieces is one that the model cannot know; one with placeholders was trained without numbers.
    // What is taken out beside it would have it become a part of something else.
    const auto is_known = [&](TextRange number) {
        return placeholders_ == 0 && source_.encode(number.of(text)).size() <= known_number &&
               is_among(number, whole) && !touches_any(number, atoms) && !touches_any(number, spans);
    };
    numbers.erase(std::remove_if(numbers.begin(), numbers.end(), is_known), numbers.end());
    add_apart(spans, numbers);
    add_unknown(text, parts, spans);
    return spans;
}

std::vector<TextRange> DocumentReader::sentences_of(std::string_view line, bool split) const {
    if (!split) {
        const TextRange whole = trimmed(line, {0, line.size()});
        return whole.size() > 0 ? std::vector<TextRange>{whole} : std::vector<TextRange>();
    }
    std::vector<TextRange> parts;
    for (const TextRange& sentence : splitter_.split(in_one_line(line))) {
        const std::vector<TextRange> clauses = cut_at_clauses(
            line, sentence, options_.longest, [this](std::string_view part) { return source_.encode(part).size(); });
        parts.insert(parts.end(), clauses.begin(), clauses.end());
    }
    return parts;
}

SourceDocument DocumentReader::read(TranslationRequest given, const TextForm& form) const {
    std::string& text = given.text;
    SourceDocument document;
    document.has_placeholders_ = placeholders_ > 0;
    if (form.markup == Markup::html) {
        for (const HtmlText& part : html_texts(text)) {
            TextForm sentences = form;
            sentences.split = true;
            add_line(document, part.range, part.text, sentences, given);
        }
    } else {
        for (std::size_t begin = 0; begin < text.size();) {
            const std::size_t end = std::min(text.find('\n', begin), text.size());
            MarkedText line;
            line.text = text.substr(begin, end - begin);
            add_line(document, {begin, end}, line, form, given);
            begin = end + 1;
        }
    }
    if (document.crowded_ > 0) {
        const std::string most = std::to_string(Phrases::most);
        document.warning_ = "more than " + most + " terms of the glossary in " + std::to_string(document.crowded_) +
                            " of " + std::to_string(document.requests_.size()) +
                            " sentences, or fewer beside placeholders; the first of each are used";
    }
    document.text_ = std::move(text);
    return document;
}

TranslationRequest DocumentReader::request_of(SourceDocument& document, SourceDocument::Sentence& part,
                                              std::string_view text, const TextForm& form,
                                              const TranslationRequest& given) const {
    hold_copies(part.marked, std::min(placeholders_, Phrases::most));
    const std::size_t held = part.marked.held.size();
    std::vector<bool> used(held + part.marked.copies.size(), false);
    const auto as_written = [&](const std::string& asked) {
        std::vector<TextRange> spans = given_.find(asked);
        add_apart(spans, keeps(form) ? common_.find(asked) : std::vector<TextRange>());
        add_apart(spans, numbers_of(asked));
        if (keeps(form)) {
            add_unknown(asked, {{0, asked.size()}}, spans);
        }
        return as_the_model_writes(asked, spans, part.marked, used);
    };
    TranslationRequest request{
        keeps(form) ? with_plain_signs(part.marked.text, source_) : part.marked.text, as_written(given.prefix), {}};
    for (const std::string& phrase : given.phrases) {
        const std::string written = as_written(phrase);
        if (!is_blank(written) || is_blank(phrase)) {  // a blank one is an error of whoever asks
            request.phrases.push_back(written);
        }
    }
    for (std::size_t number = 0; form.constrains && number < held && request.phrases.size() < Phrases::most; ++number) {
        if (!used[number]) {  // with_held has others placed
            request.phrases.push_back(placeholder(number));
        }
    }
    bool crowded = false;
    for (const Glossary::Found& term :
         form.glossary != nullptr ? form.glossary->find(text) : std::vector<Glossary::Found>()) {
        if (request.phrases.size() == Phrases::most) {
            crowded = true;
            break;
        }
        request.phrases.push_back(term.translation);
        add_numbers(term.range.of(text), term.translation, part.given.lost);
        add_numbers(term.translation, term.range.of(text), part.given.own);
    }
    document.crowded_ += crowded ? 1 : 0;
    part.given.prefix = request.prefix;
    part.given.phrases = request.phrases;
    return request;
}

void DocumentReader::add_line(SourceDocument& document, TextRange range, const MarkedText& line, const TextForm& form,
                              const TranslationRequest& given) const {
    std::vector<TextRange> spans = spans_of(line, keeps(form));
    if (form.glossary != nullptr && !spans.empty()) {
        spans = outside_of_terms(std::move(spans), form.glossary->find(line.text));
    }
    const MarkedText text = spans.empty() ? line : with_spans(line, spans);
    const bool has_objects = text.markup == Markup::html || !text.atoms.empty();
    const std::string_view whole = text.text;
    SourceDocument::Line result{range, {}, ""};
    const std::size_t before = document.requests_.size();
    std::size_t done = 0;
    for (const TextRange& sentence : sentences_of(whole, form.split)) {
        SourceDocument::Sentence part;
        part.between = encoded(whole.substr(done, sentence.begin - done), text.markup);
        part.marked = marked_sentence(text, sentence);
        part.original = text.written(sentence);
        part.has_numbers = keeps(form) && has_digit(part.marked.text) && !numbers_of(part.marked.text).empty();
        part.translated = !has_objects || has_letter(part.marked.text);
        if (part.translated) {
            document.requests_.push_back(request_of(document, part, sentence.of(whole), form, given));
        }
        result.sentences.push_back(std::move(part));
        done = sentence.end;
    }
    // What has nothing to translate stays byte for byte.
    if (document.requests_.size() > before) {
        result.behind = encoded(whole.substr(done), text.markup);
        document.lines_.push_back(std::move(result));
    }
}

}  // namespace softalign
