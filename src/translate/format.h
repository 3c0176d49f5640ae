#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "text/tokenizer.h"
#include "translate/alignment.h"
#include "translate/batch_translator.h"
#include "translate/document_translator.h"
#include "translate/scorer.h"
#include "translate/tokenizer_pair.h"

namespace softalign {

// "0-0 2-1": source-target (Pharaoh format).
std::string pharaoh_line(const AlignmentPairs& pairs);

// The pieces of a translation, separated by spaces, to which the numbers of an alignment refer.
std::string target_pieces(const Translation& translation, const Tokenizer& target);

// A line of an n-best list (Moses format): "index ||| text ||| score", or with features "index ||| text ||| features
// ||| score". index is the number of the sentence, from 0. Six decimals.
std::string n_best_line(std::int64_t index, const std::string& text, double score, const std::string& features = "");

// The log-probability under one model of the ensemble. REQUIRES: model_token_log_probs has it.
double model_log_prob(const Hypothesis& hypothesis, std::size_t model);

// The parts of a score: "LogProb= -4.474234 Length= 12 LengthNorm= 12.000000", where the length counts the pieces
// and the end of the sentence; then "Coverage= ..." where there is a coverage penalty, and for an ensemble "Model0=
// ...", "Model1= ..." and so on, the log-probability that each model gives.
std::string feature_list(const Hypothesis& hypothesis);

// "score<TAB>log-probability", six decimals.
std::string score_line(const Translation& translation);

// "tokens<TAB>log-probabilities": the pieces and the end of the sentence, each separated by spaces. Six decimals.
std::string token_score_line(const Hypothesis& hypothesis, const Tokenizer& target);

// "log-probability<TAB>tokens" of a given translation, followed with its tokenizer by the two columns of
// token_score_line. Six decimals.
std::string pair_score_line(const PairScore& score, const Tokenizer* target);

// JSON objects on one line, in UTF-8; docs/alignments.md lists their members. Numbers have the fewest digits that read
// back to the same value. Both throw Error(numerical) if a number is not finite, which JSON cannot express.

// {"index", "source", "target", "weights"}: an alignment with its labels. Without attention, "weights" is []. For
// features, "grid": [H, W] takes the place of the source's labels.
std::string soft_alignment_line(std::int64_t index, const Translation& translation, AlignmentUnits units,
                                const TokenizerPair& tokenizers);

// {"index", "source", "source_pieces", "translations"}: everything known about a sentence, with its attention matrices
// if `attention` is set. REQUIRES: at least one translation; if there is attention, their words.
std::string sentence_line(std::int64_t index, const std::vector<Translation>& translations,
                          const TokenizerPair& tokenizers, bool attention);

// {"index", "source", "text", "sentences"}: a paragraph, and for each sentence of it what sentence_line has, with its
// number in the paragraph, and what is in "text" in front of it ("before"). "behind": what is behind the last one.
// Where the text has tags or spans that the model does not see, also "original", the sentence with them, "restored",
// the same of a translation, and "spans", what placeholders stand for.
std::string paragraph_line(std::int64_t index, const TranslatedParagraph& paragraph, const TokenizerPair& tokenizers,
                           bool attention);

}  // namespace softalign
