#include "translate/best_texts.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace softalign {

std::vector<std::string> best_texts(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target,
                                    const std::vector<std::string>& sentences, const TranslateOptions& options,
                                    std::shared_ptr<WorkerPool> pool) {
    BatchTranslator translator(model, source, target, options, std::move(pool));
    std::vector<std::string> texts;
    texts.reserve(sentences.size());
    translator.translate(sentences, [&](std::vector<std::vector<Translation>> part) {
        for (std::vector<Translation>& found : part) {
            texts.push_back(std::move(found.front().text));
        }
    });
    translator.warn();
    return texts;
}

}  // namespace softalign
