#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "text/tokenizer.h"
#include "translate/batch_translator.h"

namespace softalign {

enum class AlignmentUnits { pieces, words };

// The attention of a translation as a matrix: a row for each piece or word of the target and one for its end, a column
// for each of the source and one for its end. Empty where there is no attention.
using AlignmentWeights = std::vector<std::vector<float>>;

// Pairs of source and target numbers, from 0.
using AlignmentPairs = std::vector<std::pair<std::size_t, std::size_t>>;

// In pieces it is the translation's attention. In words, which are those of Translation::source_words and
// target_words, the columns of a source word's pieces are added, and the rows of the pieces that a target word has a
// part in are averaged, so rows sum to what they sum to in pieces: 1, or less with local attention of the predictive
// kind. A word without pieces has a column of zeros. REQUIRES for words: the translation has its words.
AlignmentWeights alignment_weights(const Translation& translation, AlignmentUnits units);

// For each row the column of its greatest weight, the first of equal ones, in the order of the target. A row whose
// greatest weight is on the end of the source has no pair, and the end of the target has none.
AlignmentPairs hard_alignment(const AlignmentWeights& weights);

// What the columns and the rows of an alignment stand for, the end of the sentence last ("</s>").
std::vector<std::string> source_labels(const Translation& translation, AlignmentUnits units, const Tokenizer& source);
std::vector<std::string> target_labels(const Translation& translation, AlignmentUnits units, const Tokenizer& target);

}  // namespace softalign
