#include "translate/stream.h"

namespace softalign {

void translate_stream(BatchTranslator& translator, const ReadSentence& read, const WriteTranslations& write,
                      const StreamOptions& options) {
    std::int64_t index = 0;
    for (bool more = true; more;) {
        std::vector<TranslationRequest> sentences;
        TranslationRequest sentence;
        while (static_cast<std::int64_t>(sentences.size()) < options.chunk && (more = read(sentence))) {
            sentences.push_back(sentence);
        }
        for (const std::vector<Translation>& translations : translator.translate(sentences)) {
            write(index++, translations);
        }
        if (options.after_chunk) {
            options.after_chunk();
        }
    }
}

}  // namespace softalign
