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
// for each of the source and one for its end, or for each position of a grid (Translation::grid), row after row. Empty
// if there is no attention.
using AlignmentWeights = std::vector<std::vector<float>>;

// Pairs of source and target numbers, from 0.
using AlignmentPairs = std::vector<std::pair<std::size_t, std::size_t>>;

// Over pieces, it is the translation's attention. Over words (Translation::source_words and target_words), the columns
// of a source word's pieces are added (a piece of several words counts for the first), and the rows of a target word's
// pieces are averaged; so rows have the same sums as over pieces: 1, or less with predictive local attention. A word
// without pieces has a column of zeros. REQUIRES for words: the translation has its words.
AlignmentWeights alignment_weights(const Translation& translation, AlignmentUnits units);

// For each row, in the order of the target, the column with its greatest weight, the first of ties. A row whose
// greatest weight is on the end of the source gives no pair; nor does the end of the target. has_end: whether the last
// column is the end of the source.
AlignmentPairs hard_alignment(const AlignmentWeights& weights, bool has_end = true);

// The same of alignment_weights(translation, units), in memory that does not grow with the words of the source that
// have no pieces.
AlignmentPairs hard_alignment(const Translation& translation, AlignmentUnits units);

// The labels of the columns and rows of an alignment, the end of the sentence last ("</s>"). Positions have none.
std::vector<std::string> source_labels(const Translation& translation, AlignmentUnits units, const Tokenizer& source);
std::vector<std::string> target_labels(const Translation& translation, AlignmentUnits units, const Tokenizer& target);

}  // namespace softalign
