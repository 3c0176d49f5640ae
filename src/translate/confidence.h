#pragma once

#include <vector>

#include "search/scoring.h"
#include "translate/batch_translator.h"

namespace softalign {

// How sure the models are of a translation, as estimates of the share of its words that a reference has.
// docs/alignments.md measures how good they are, and why they are these and no others.

// The mean of the probabilities that the pieces have, given those before them; that of the end where there are none.
// 0 to 1.
float sentence_confidence(const Hypothesis& hypothesis);

// Of each word of the text, the least probability of a piece of it. Empty where the words are not known
// (TranslateOptions::keep_words).
std::vector<float> word_confidences(const Translation& translation);

}  // namespace softalign
