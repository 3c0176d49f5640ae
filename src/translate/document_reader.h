#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/kept_numbers.h"
#include "document/marked_text.h"
#include "document/sentences.h"
#include "document/text_range.h"
#include "text/tokenizer.h"
#include "translate/batch_translator.h"
#include "translate/glossary.h"
#include "translate/sentence_encoder.h"
#include "translate/span_reader.h"
#include "translate/tokenizer_pair.h"

namespace softalign {

// What a text is.
struct TextForm {
    bool split = true;             // lines are divided into sentences; else a line is one
    Markup markup = Markup::none;  // html: a document, whose texts are always divided
    // URLs and the like (SpanFinder), numbers, and what the vocabulary lacks; without a value: where it has
    // placeholders
    std::optional<bool> keep_spans{};
    const Glossary* glossary = nullptr;
    bool constrains = true;  // whether the search takes phrases (takes_phrases), as placeholders should be
};

struct DocumentOptions {
    TextForm form{};                           // unless a text is read with another
    std::string locale = "en";                 // of the source (SentenceSplitter)
    std::string abbreviations;                 // a file with more of them; empty = none
    std::vector<std::string> kept_patterns{};  // of more spans that are kept, as ICU's regular expressions
    std::size_t longest = 1000;                // pieces of a sentence; longer ones are cut at clauses. At least 1
};

// A sentence and its translations as they are in the text: with the spans and tags that the model does not see.
struct RestoredSentence {
    std::string before;  // in the translated text, in front of the first translation: also what is not translated
    std::string source;
    std::vector<std::string> translations;
    std::vector<std::string> spans;  // what the placeholders of the sentence that is translated stand for
};

struct RestoredText {
    std::string text;  // with the first translation of each sentence
    std::vector<RestoredSentence> sentences;
    std::string behind;  // what is in the text behind the last of them
};

// A text in sentences to translate, and how their translations make a text again.
class SourceDocument {
public:
    // The sentences, in order.
    const std::vector<TranslationRequest>& requests() const { return requests_; }

    const std::string& text() const { return text_; }

    // Whether restored() and joined() need the attention of the translations and their words.
    bool needs_links() const;

    // The text with the sentences of requests(), and these translations of each.
    RestoredText restored(const std::vector<std::vector<Translation>>& translations) const;

    // What a user should know of its reading; empty: nothing.
    const std::string& warning() const { return warning_; }

    // The text with these translations of requests() in their places.
    std::string joined(const std::vector<const Translation*>& translations) const;

private:
    friend class DocumentReader;

    struct Sentence {
        MarkedSentence marked;
        std::string original;      // with its tags and spans
        std::string between;       // what is in front of it in its line
        bool translated = true;    // else the original is its translation
        bool has_numbers = false;  // that are kept
        GivenText given{};         // to the search

        bool needs_links() const {
            return has_numbers || !marked.tags.empty() || !marked.copies.empty() || !marked.held.empty();
        }
    };
    // A line, or another part of the text whose sentences belong together.
    struct Line {
        TextRange range;  // of the text
        std::vector<Sentence> sentences;
        std::string behind;  // the last sentence
    };

    std::string finished(const Sentence& sentence, const Translation& translation) const;
    std::vector<const Sentence*> translated() const;
    // With these translations in their places, and where each begins.
    std::string text_of(const std::vector<std::string>& finished, std::vector<std::size_t>& begins) const;

    std::string text_;
    std::vector<TranslationRequest> requests_;
    std::vector<Line> lines_;
    std::string warning_;
    std::size_t crowded_ = 0;        // sentences with more terms of the glossary than a search takes
    bool has_placeholders_ = false;  // whether its model has
};

// Divides texts into the sentences that a model translates. Not to be used by several threads at once.
class DocumentReader {
public:
    // REQUIRES: the tokenizer of the source outlives this, and the glossary of a form the documents read with it.
    // Throws like SentenceSplitter and SpanFinder.
    DocumentReader(const TokenizerPair& tokenizers, const DocumentOptions& options);

    // Each line is divided into sentences, and those longer than the options allow at clauses. In the result, their
    // translations are joined by what is between them in the source, but Chinese and Japanese sentences without a
    // space, and others with at least one. Line ends and other white space around lines stay.
    //
    // Of HTML, only text is translated (html_texts); the rest stays byte for byte. Tags inside a sentence are put back
    // into its translation (with_marks), and so are spans that are kept. Of the terms of a glossary, a sentence must
    // have the first Phrases::most; where it has more, the document has a warning. Where both tokenizers have
    // placeholders, they stand for the first spans of a sentence that are kept, and the others are taken out as without
    // placeholders. Throws like html_texts and SpanFinder.
    SourceDocument read(std::string text) const { return read(std::move(text), options_.form); }
    SourceDocument read(std::string text, const TextForm& form) const { return read({std::move(text), "", {}}, form); }

    // The translation of a single sentence must have a prefix or phrases: spans in them are those of the sentence.
    // REQUIRES: then the text is one line and not to be split.
    SourceDocument read(TranslationRequest text, const TextForm& form) const;

private:
    void add_line(SourceDocument& document, TextRange range, const MarkedText& line, const TextForm& form,
                  const TranslationRequest& given) const;
    std::vector<TextRange> sentences_of(const MarkedText& line, const TextForm& form) const;
    bool keeps(const TextForm& form) const { return form.keep_spans.value_or(spans_.placeholders() > 0); }
    // The sentence as it is translated: with its placeholders, the terms of the glossary and what else is given as
    // phrases. `text`: with its objects.
    TranslationRequest request_of(SourceDocument& document, SourceDocument::Sentence& part, std::string_view text,
                                  const TextForm& form, const TranslationRequest& given) const;

    const Tokenizer& source_;
    DocumentOptions options_;
    SentenceSplitter splitter_;
    SpanReader spans_;
};

}  // namespace softalign
