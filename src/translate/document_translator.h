#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "document/sentences.h"
#include "document/text_range.h"
#include "text/tokenizer.h"
#include "translate/batch_translator.h"
#include "translate/request_queue.h"
#include "translate/stream.h"

namespace softalign {

struct DocumentOptions {
    std::string locale = "en";   // of the source (SentenceSplitter)
    std::string abbreviations;   // a file with more of them; empty = none
    std::size_t longest = 1000;  // pieces of a sentence; longer ones are cut at clauses. At least 1
};

// A paragraph, sentence by sentence.
struct TranslatedParagraph {
    std::string source;
    std::string text;                    // with the white space of the source around and between sentences
    std::vector<Translation> sentences;  // the best translation of each sentence or part of one; none of a blank source
};

// Translates texts of several sentences, each sentence by itself.
class DocumentTranslator {
public:
    // REQUIRES: the translator, whose models read text, outlives this. Throws like SentenceSplitter.
    DocumentTranslator(BatchTranslator& translator, const Tokenizer& source, const DocumentOptions& options);

    // Takes the translations of consecutive paragraphs.
    using Take = std::function<void(std::vector<TranslatedParagraph> paragraphs)>;

    // Divides each paragraph into sentences, and those longer than the options allow at clauses. Their translations are
    // joined by what is between them in the source, but Chinese and Japanese sentences without a space, and others with
    // at least one. `take` gets the paragraphs in order; where it throws for a sentence, those before it first, as
    // BatchTranslator::translate does.
    void translate(const std::vector<std::string>& paragraphs, const Take& take);

private:
    std::vector<TextRange> sentences_of(std::string_view paragraph) const;

    BatchTranslator& translator_;
    const Tokenizer& source_;
    SentenceSplitter splitter_;
    std::size_t longest_;
};

// Takes the translation of the paragraph `index` (from 0), in order.
using WriteParagraph = std::function<void(std::int64_t index, const TranslatedParagraph& paragraph)>;

// translate_stream for paragraphs. REQUIRES: the requests have no constraints.
void translate_paragraphs(DocumentTranslator& translator, RequestQueue& requests, const WriteParagraph& write,
                          const StreamOptions& options);

}  // namespace softalign
