#include "translate/document_translator.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace softalign {

DocumentTranslator::DocumentTranslator(BatchTranslator& translator, const TokenizerPair& tokenizers,
                                       const DocumentOptions& options)
    : translator_(translator), reader_(tokenizers, options) {}

void DocumentTranslator::translate(const std::vector<std::string>& paragraphs, const Take& take) {
    std::vector<SourceDocument> read;
    std::vector<TranslationRequest> sentences;
    for (const std::string& paragraph : paragraphs) {
        read.push_back(reader_.read(paragraph));
        if (!read.back().warning().empty()) {
            warn(read.back().warning());
        }
        const std::vector<TranslationRequest>& requests = read.back().requests();
        sentences.insert(sentences.end(), requests.begin(), requests.end());
    }
    std::size_t next = 0;  // paragraph
    TranslatedParagraph current;
    std::vector<TranslatedParagraph> done;
    const auto finish_paragraphs = [&] {
        while (next < paragraphs.size() && current.sentences.size() == read[next].requests().size()) {
            current.source = paragraphs[next];
            current.restored = read[next].restored(current.sentences);
            current.warning = read[next].warning();
            done.push_back(std::exchange(current, {}));
            ++next;
        }
    };
    finish_paragraphs();
    translator_.translate(sentences, [&](std::vector<std::vector<Translation>> part) {
        for (std::vector<Translation>& found : part) {
            current.sentences.push_back(std::move(found));
            finish_paragraphs();
        }
        take(std::exchange(done, {}));
    });
    if (!done.empty()) {
        take(std::move(done));
    }
}

void translate_paragraphs(DocumentTranslator& translator, RequestQueue& requests, const WriteParagraph& write,
                          const StreamOptions& options) {
    const auto most = static_cast<std::size_t>(options.chunk);
    const std::size_t least = options.full_chunks ? most : 1;
    std::int64_t index = 0;
    std::vector<std::string> paragraphs;
    for (std::vector<TranslationRequest> chunk; requests.take(least, most, chunk);) {
        paragraphs.clear();
        for (TranslationRequest& request : chunk) {
            paragraphs.push_back(std::move(request.text));
        }
        translator.translate(paragraphs, [&](const std::vector<TranslatedParagraph>& part) {
            for (const TranslatedParagraph& paragraph : part) {
                write(index++, paragraph);
            }
            if (options.after_chunk) {
                options.after_chunk();
            }
        });
    }
}

}  // namespace softalign
