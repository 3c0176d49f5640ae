#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "html/report.h"
#include "metrics/bleu.h"
#include "text/tokenizer.h"
#include "translate/batch_translator.h"

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

// The translations of a text by one of the report's runs, with words and, if the model has it, attention.
struct RunTranslations {
    std::size_t run = 0;
    std::vector<Translation> translations;  // one per sentence
    std::shared_ptr<const Tokenizer> source;
    std::shared_ptr<const Tokenizer> target;
};

// Fills in the sentences to show, in groups of up to `count` of each kind, and for each run BLEU by length, the
// entropies and a fact with the BLEU of the text. Without references, the first sentences are shown.
void add_sentences(Report& report, const ReviewText& text, const std::vector<RunTranslations>& runs,
                   const BleuOptions& options, std::size_t count);

// Attention over words, or over pieces if either side averages four or more pieces per word, as in scripts without
// spaces, where words say little.
AttentionPicture attention_picture(const Translation& translation, const Tokenizer& source, const Tokenizer& target);

}  // namespace softalign
