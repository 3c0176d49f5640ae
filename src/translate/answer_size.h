#pragma once

#include <cstddef>

#include "translate/batch_translator.h"
#include "translate/sentence_encoder.h"

namespace softalign {

// The bytes of memory that a translation takes.
std::size_t bytes_of(const Translation& translation);

// About the most that the constraints and the translations of a sentence can take together. Exact are the numbers for
// each piece of the longest output that is allowed, with its attention; texts are taken to have eight bytes a piece.
// `models`: whose log-probabilities are kept, 0 for none; `attention`: whether it is kept.
std::size_t most_answer_bytes(const EncodedSentence& sentence, const TranslateOptions& options, std::size_t models,
                              bool attention);

}  // namespace softalign
