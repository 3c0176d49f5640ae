#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "translate/batch_translator.h"
#include "translate/document_reader.h"
#include "translate/request_queue.h"
#include "translate/stream.h"
#include "translate/tokenizer_pair.h"

namespace softalign {

// A paragraph, sentence by sentence.
struct TranslatedParagraph {
    std::string source;
    // The translations of each sentence or part of one, best first; of those that are translated.
    std::vector<std::vector<Translation>> sentences;
    RestoredText restored{};  // the same sentences as they are in the text
    std::string warning{};    // of the reading (SourceDocument::warning)
};

// Translates texts of several sentences, each sentence by itself.
class DocumentTranslator {
public:
    // REQUIRES: the translator, whose models read text, outlives this. Throws like SentenceSplitter.
    DocumentTranslator(BatchTranslator& translator, const TokenizerPair& tokenizers, const DocumentOptions& options);

    // Takes the translations of consecutive paragraphs.
    using Take = std::function<void(std::vector<TranslatedParagraph> paragraphs)>;

    // Reads each paragraph with a DocumentReader. `take` gets the paragraphs in order; where it throws for a sentence,
    // those before it first, as BatchTranslator::translate does.
    void translate(const std::vector<std::string>& paragraphs, const Take& take);

private:
    BatchTranslator& translator_;
    DocumentReader reader_;
};

// Takes the translation of the paragraph `index` (from 0), in order.
using WriteParagraph = std::function<void(std::int64_t index, const TranslatedParagraph& paragraph)>;

// translate_stream for paragraphs. REQUIRES: the requests have no constraints.
void translate_paragraphs(DocumentTranslator& translator, RequestQueue& requests, const WriteParagraph& write,
                          const StreamOptions& options);

}  // namespace softalign
