#include "translate/document_reader.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "document/characters.h"
#include "document/clauses.h"
#include "document/html_text.h"
#include "document/kept_numbers.h"
#include "document/kept_spans.h"
#include "document/leading_markers.h"
#include "document/mark_placement.h"
#include "document/placeholders.h"
#include "document/seen_text.h"
#include "document/text_units.h"
#include "search/phrases.h"
#include "text/placeholder_pieces.h"
#include "text/words.h"
#include "translate/span_reader.h"
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

// Whether a sentence without letters is to have words.
bool asks_for_words(const TranslationRequest& given, const TextForm& form, std::string_view sentence) {
    return !given.prefix.empty() || !given.phrases.empty() ||
           (form.glossary != nullptr && !form.glossary->find(sentence).empty());
}

// What a translation is to have, without the escapes at its ends that its source has too: those are put there anyway.
std::string_view without_outer_escapes(std::string_view asked, std::string_view source) {
    constexpr std::size_t size = 2;
    const auto is_outer = [source](std::string_view end) {
        return is_escape(end) && source.find(end) != std::string_view::npos;
    };
    while (is_outer(asked.substr(0, size))) {
        asked.remove_prefix(size);
    }
    while (asked.size() >= size && is_outer(asked.substr(asked.size() - size))) {
        asked.remove_suffix(size);
    }
    return asked;
}

// Where the terms of the glossary are in a text, in order.
std::vector<TextRange> terms_in(std::string_view text, const TextForm& form) {
    std::vector<TextRange> terms;
    for (const Glossary::Found& term :
         form.glossary != nullptr ? form.glossary->find(text) : std::vector<Glossary::Found>()) {
        terms.push_back(term.range);
    }
    return terms;
}

// Without the spans that are part of a term.
std::vector<TextRange> outside_of_terms(std::vector<TextRange> spans, const std::vector<TextRange>& terms) {
    const auto is_in_term = [&terms](TextRange span) {
        const auto term = first_ending_behind(terms, span.begin);
        return term != terms.end() && term->contains(span);
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
    const std::string_view text = translation.text;  // the last piece may be a space
    LinkedTranslation whole{sentence.marked, std::string(trimmed(text, {0, text.size()}).of(text)),
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
      spans_(tokenizers, options.kept_patterns) {}

std::vector<TextRange> DocumentReader::sentences_of(const MarkedText& marked, const TextForm& form) const {
    const std::string line = with_blanks(marked, {0, marked.text.size()});
    if (!form.split) {
        const TextRange whole = trimmed(line, {0, line.size()});
        return whole.size() > 0 ? std::vector<TextRange>{whole} : std::vector<TextRange>();
    }
    std::vector<TextRange> parts;
    const LeadingMarkers markers(marked, line, terms_in(marked.text, form));
    const SeenText seen(marked);
    for (const TextRange& place : seen.places_of(splitter_.split(in_one_line(seen.text())))) {
        const TextRange sentence = trimmed(line, place);
        const TextRange rest = markers.without(sentence);
        if (rest.size() == 0) {
            continue;
        }
        const std::vector<TextRange> clauses = cut_at_clauses(
            line, rest, options_.longest, [this](std::string_view part) { return source_.encode(part).size(); });
        parts.insert(parts.end(), clauses.begin(), clauses.end());
    }
    return parts;
}

SourceDocument DocumentReader::read(TranslationRequest given, const TextForm& form) const {
    std::string& text = given.text;
    SourceDocument document;
    document.has_placeholders_ = spans_.placeholders() > 0;
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
            const bool has_return = end > begin && text[end - 1] == '\r';
            const TextRange range{begin, has_return ? end - 1 : end};
            line.text = range.of(text);
            add_line(document, range, line, form, given);
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
    hold_copies(part.marked, std::min(spans_.placeholders(), Phrases::most));
    const std::size_t held = part.marked.held.size();
    std::vector<bool> used(held + part.marked.copies.size(), false);
    const auto as_written = [&](std::string_view asked) {
        return as_the_model_writes(asked, spans_.in_asked(asked, keeps(form)), part.marked, used);
    };
    const auto inner = [&](std::string_view asked) {
        return keeps(form) ? without_outer_escapes(asked, given.text) : asked;
    };
    const std::string_view inside = inner(given.prefix);
    const bool has_more = !inside.empty() && inside.end() != std::string_view(given.prefix).end();
    const std::string prefix = std::string(inside) + (has_more ? " " : "");
    TranslationRequest request{
        keeps(form) ? spans_.with_plain_signs(part.marked.text) : part.marked.text, as_written(prefix), {}};
    for (const std::string& phrase : given.phrases) {
        const std::string written = as_written(inner(phrase));
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
    std::vector<TextRange> spans = spans_.in_line(line, keeps(form));
    if (!spans.empty()) {
        spans = outside_of_terms(std::move(spans), terms_in(line.text, form));
    }
    const MarkedText text = spans.empty() ? line : with_spans(line, spans);
    const bool has_objects = text.markup == Markup::html || !text.atoms.empty();
    const std::string_view whole = text.text;
    SourceDocument::Line result{range, {}, ""};
    const std::size_t before = document.requests_.size();
    std::size_t done = 0;
    for (const TextRange& sentence : sentences_of(text, form)) {
        SourceDocument::Sentence part;
        part.between = text.written({done, sentence.begin});
        part.marked = marked_sentence(text, sentence);
        part.original = text.written(sentence);
        part.has_numbers = keeps(form) && has_digit(part.marked.text) && !numbers_of(part.marked.text).empty();
        const bool has_spans = std::any_of(part.marked.copies.begin(), part.marked.copies.end(), is_seen);
        const bool is_empty = is_blank(part.marked.text) && (spans_.placeholders() == 0 || !has_spans);
        part.translated = !(has_objects || keeps(form)) || has_letter(part.marked.text) ||
                          (!is_empty && asks_for_words(given, form, sentence.of(whole)));
        if (part.translated) {
            document.requests_.push_back(request_of(document, part, sentence.of(whole), form, given));
        }
        result.sentences.push_back(std::move(part));
        done = sentence.end;
    }
    // What has nothing to translate stays byte for byte.
    if (document.requests_.size() > before) {
        result.behind = text.written({done, whole.size()});
        document.lines_.push_back(std::move(result));
    }
}

}  // namespace softalign
