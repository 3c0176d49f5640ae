#pragma once

#include <memory>
#include <string>
#include <vector>

#include "search/scoring.h"
#include "translate/batch_translator.h"

namespace softalign {

// Reverses the output of a model that writes from right to left (decoder.reverse_target): its tokens, their
// log-probabilities and their attention are then in text order. Those of the end of sentence stay last.
void to_text_order(Hypothesis& hypothesis);

// The text of the best translation of each sentence, by a temporary BatchTranslator, whose warnings are logged.
std::vector<std::string> best_texts(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target,
                                    const std::vector<std::string>& sentences, const TranslateOptions& options,
                                    std::shared_ptr<WorkerPool> pool = nullptr);

}  // namespace softalign
