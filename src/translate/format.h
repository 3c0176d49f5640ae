#pragma once

#include <cstdint>
#include <string>

#include "text/tokenizer.h"
#include "translate/batch_translator.h"
#include "translate/scorer.h"

namespace softalign {

// Pairs source-target of piece numbers from 0, in the order of the target (Pharaoh format): "0-0 2-1". A target piece
// is paired with the source piece of its greatest weight, the first of equal ones; with none where that is the end of
// the source. The end of the target has no pair. Empty where there is no attention.
std::string pharaoh_alignment(const Translation& translation);

// The pieces of a translation, separated by spaces: what the numbers of an alignment count.
std::string target_pieces(const Translation& translation, const Tokenizer& target);

// A line of an n-best list: "index ||| text ||| score". index is the number of the sentence, from 0.
std::string n_best_line(std::int64_t index, const std::string& text, double score);

// "score<TAB>log-probability", six decimals.
std::string score_line(const Translation& translation);

// "log-probability<TAB>tokens" of a given translation, and with its tokenizer two columns more: the tokens, the end of
// the sentence among them, and their log-probabilities, each separated by spaces. Six decimals.
std::string pair_score_line(const PairScore& score, const Tokenizer* target);

}  // namespace softalign
