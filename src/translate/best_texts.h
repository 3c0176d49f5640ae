#pragma once

#include <memory>
#include <string>
#include <vector>

#include "translate/batch_translator.h"

namespace softalign {

// The text of the best translation of each sentence, by a temporary BatchTranslator, whose warnings are logged.
std::vector<std::string> best_texts(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target,
                                    const std::vector<std::string>& sentences, const TranslateOptions& options,
                                    std::shared_ptr<WorkerPool> pool = nullptr);

}  // namespace softalign
