#include "translate/document_reader.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/clauses.h"
#include "document/html_text.h"
#include "document/mark_placement.h"
#include "document/text_units.h"
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

}  // namespace

std::string SourceDocument::joined(const std::vector<const Translation*>& translations) const {
    std::string text;
    std::size_t next = 0;
    std::size_t done = 0;
    for (const Line& line : lines_) {
        text.append(text_, done, line.range.begin - done);
        done = line.range.end;
        std::string translated;
        for (std::size_t i = 0; i < line.sentences.size(); ++i) {
            const Sentence& sentence = line.sentences[i];
            std::string part;
            if (sentence.written) {
                part = *sentence.written;
            } else {
                const Translation& translation = *translations[next++];
                part = sentence.marked.is_plain()
                           ? translation.text
                           : with_marks(sentence.marked, translation.text, word_links(translation));
            }
            translated += i == 0 ? sentence.between : joint_of(sentence.between, translated, part);
            translated += part;
        }
        text += translated + line.behind;
    }
    return text.append(text_, done, std::string::npos);
}

DocumentReader::DocumentReader(const Tokenizer& source, const DocumentOptions& options)
    : source_(source), options_(options), splitter_(options.locale, options.abbreviations) {}

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

SourceDocument DocumentReader::read(std::string text, const TextForm& form) const {
    SourceDocument document;
    if (form.markup == Markup::html) {
        for (const HtmlText& part : html_texts(text)) {
            add_line(document, part.range, part.text, true);
        }
    } else {
        for (std::size_t begin = 0; begin < text.size();) {
            const std::size_t end = std::min(text.find('\n', begin), text.size());
            MarkedText line;
            line.text = text.substr(begin, end - begin);
            add_line(document, {begin, end}, line, form.split);
            begin = end + 1;
        }
    }
    document.text_ = std::move(text);
    return document;
}

void DocumentReader::add_line(SourceDocument& document, TextRange range, const MarkedText& text, bool split) const {
    SourceDocument::Line line{range, {}, ""};
    const std::string_view whole = text.text;
    const std::size_t before = document.requests_.size();
    std::size_t done = 0;
    for (const TextRange& range_of_sentence : sentences_of(whole, split)) {
        SourceDocument::Sentence sentence;
        sentence.between = encoded(whole.substr(done, range_of_sentence.begin - done), text.markup);
        sentence.marked = marked_sentence(text, range_of_sentence);
        if (text.markup == Markup::none || has_letter(sentence.marked.text)) {
            document.requests_.push_back({sentence.marked.text, "", {}});
        } else {
            sentence.written = text.written(range_of_sentence);
        }
        line.sentences.push_back(std::move(sentence));
        done = range_of_sentence.end;
    }
    // What has nothing to translate stays byte for byte.
    if (document.requests_.size() > before) {
        line.behind = encoded(whole.substr(done), text.markup);
        document.lines_.push_back(std::move(line));
    }
}

}  // namespace softalign
