#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/marked_text.h"
#include "document/sentences.h"
#include "document/text_range.h"
#include "text/tokenizer.h"
#include "translate/batch_translator.h"
#include "translate/sentence_encoder.h"

namespace softalign {

// What a text is.
struct TextForm {
    bool split = true;             // lines are divided into sentences; else a line is one
    Markup markup = Markup::none;  // html: a document, whose texts are always divided
};

struct DocumentOptions {
    TextForm form{};             // unless a text is read with another
    std::string locale = "en";   // of the source (SentenceSplitter)
    std::string abbreviations;   // a file with more of them; empty = none
    std::size_t longest = 1000;  // pieces of a sentence; longer ones are cut at clauses. At least 1
};

// A text in sentences to translate, and how their translations make a text again.
class SourceDocument {
public:
    // The sentences, in order.
    const std::vector<TranslationRequest>& requests() const { return requests_; }

    const std::string& text() const { return text_; }

    // The text with these translations of requests() in their places.
    std::string joined(const std::vector<const Translation*>& translations) const;

private:
    friend class DocumentReader;

    struct Sentence {
        MarkedSentence marked;
        std::string between;                 // what is in front of it in its line
        std::optional<std::string> written;  // what is not translated, as it is
    };
    // A line, or another part of the text whose sentences belong together.
    struct Line {
        TextRange range;  // of the text
        std::vector<Sentence> sentences;
        std::string behind;  // the last sentence
    };

    std::string text_;
    std::vector<TranslationRequest> requests_;
    std::vector<Line> lines_;
};

// Divides texts into the sentences that a model translates. Not to be used by several threads at once.
class DocumentReader {
public:
    // REQUIRES: the tokenizer outlives this. Throws like SentenceSplitter.
    DocumentReader(const Tokenizer& source, const DocumentOptions& options);

    // Each line is divided into sentences, and those longer than the options allow at clauses. In the result, their
    // translations are joined by what is between them in the source, but Chinese and Japanese sentences without a
    // space, and others with at least one. Line ends and other white space around lines stay.
    //
    // Of HTML, only text is translated (html_texts); the rest stays byte for byte. Tags inside a sentence are put back
    // into its translation (with_marks). Throws as html_texts does.
    SourceDocument read(std::string text) const { return read(std::move(text), options_.form); }
    SourceDocument read(std::string text, const TextForm& form) const;

private:
    void add_line(SourceDocument& document, TextRange range, const MarkedText& text, bool split) const;
    std::vector<TextRange> sentences_of(std::string_view line, bool split) const;

    const Tokenizer& source_;
    DocumentOptions options_;
    SentenceSplitter splitter_;
};

}  // namespace softalign
