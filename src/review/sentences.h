#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "html/heat_map.h"
#include "html/report.h"
#include "metrics/bleu.h"
#include "translate/batch_translator.h"
#include "translate/json_lines.h"

namespace softalign {

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

}  // namespace softalign
