#include "translate/text_order.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace softalign {

namespace {

// Of a row for each token and one for the end of sentence.
template <typename Row>
void reverse_but_last(std::vector<Row>& rows) {
    if (!rows.empty()) {
        std::reverse(rows.begin(), rows.end() - 1);
    }
}

}  // namespace

void to_text_order(Hypothesis& hypothesis) {
    std::reverse(hypothesis.ids.begin(), hypothesis.ids.end());
    reverse_but_last(hypothesis.token_log_probs);
    reverse_but_last(hypothesis.attention);
    for (std::vector<float>& log_probs : hypothesis.model_token_log_probs) {
        reverse_but_last(log_probs);
    }
}

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
