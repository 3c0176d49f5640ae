#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "html/report.h"
#include "html/sentence_views.h"
#include "metrics/bleu.h"
#include "translate/batch_translator.h"
#include "translate/format.h"

namespace softalign {

constexpr std::size_t sentences_of_a_kind = 10;  // that a report shows: best, worst, ...

// The text that is translated for a report.
struct ReviewText {
    std::string name;  // the file, for display
    std::vector<std::string> sources;
    std::vector<std::string> references;  // as many, or none
    std::size_t lines = 0;                // of the file; `sources` may be only the first ones

    // "1 014 sentences of val.en", "The first 2 000 of 5 000 sentences of val.en".
    std::string described() const;
};

// What a report shows of a translation.
struct ReviewedTranslation {
    std::string text;
    std::size_t rows = 0;                     // of its attention; 0 = it has none
    double entropy = 0.0;                     // their mean, in bits
    std::optional<AttentionPicture> picture;  // not if it would be too large to be of use

    // With words and, if the model has it, attention.
    ReviewedTranslation(const Translation& translation, const TokenizerPair& tokenizers);
};

std::size_t bytes_of(const AttentionPicture& picture);

// The translations of a text by one of the report's runs.
struct RunTranslations {
    std::size_t run = 0;
    std::vector<ReviewedTranslation> translations;  // one per sentence
};

// Fills in the sentences to show, in groups of up to `count` of each kind, and for each run BLEU by length, the
// entropies and a fact with the BLEU of the text. Without references, the first sentences are shown.
void add_sentences(Report& report, const ReviewText& text, const std::vector<RunTranslations>& runs,
                   const BleuOptions& options, std::size_t count);

// The sentences that a report shows, as indices from 0; no sentence is in two of the lists.
struct ChosenSentences {
    std::vector<std::size_t> worst;   // lowest score first
    std::vector<std::size_t> best;    // highest score first
    std::vector<std::size_t> differ;  // where the runs' scores differ most; empty for one run
    std::vector<std::size_t> random;  // in text order
};

// `scores`: for each run, the score of each sentence. Sentences are ranked by the mean over the runs, ties by length
// (longer first), then by position. Up to `count` of each kind. The random ones are a function of the seed.
ChosenSentences choose_sentences(const std::vector<std::vector<double>>& scores,
                                 const std::vector<std::int64_t>& lengths, std::size_t count, std::uint64_t seed);

// BLEU of single sentences as sacreBLEU computes it: with effective order.
struct SentenceScores {
    std::vector<double> bleu;
    std::vector<std::int64_t> reference_length;  // in the tokens of BLEU
};

// REQUIRES: as many references as outputs.
SentenceScores sentence_scores(const std::vector<std::string>& outputs, const std::vector<std::string>& references,
                               const BleuOptions& options);

// Corpus BLEU of the sentences whose references are 1-5, 6-10, 11-15, 16-20, 21-30, 31-40, 41-50 and more than 50
// tokens long, and of empty references; lengths that do not occur are left out.
std::vector<LengthScore> scores_by_length(const std::vector<std::string>& outputs,
                                          const std::vector<std::string>& references,
                                          const std::vector<std::int64_t>& reference_length,
                                          const BleuOptions& options);

}  // namespace softalign
