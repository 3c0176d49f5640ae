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

// What is translated for a report.
struct ReviewText {
    std::string name;  // for people: the file
    std::vector<std::string> sources;
    std::vector<std::string> references;  // as many, or none
    std::size_t lines = 0;                // of the file, of which `sources` may be the first alone

    // "1 014 sentences of val.en", "The first 2 000 of 5 000 sentences of val.en".
    std::string described() const;
};

// What one of the report's runs made of a text, with the words and, where the model has it, the attention.
struct RunTranslations {
    std::size_t run = 0;
    std::vector<Translation> translations;  // one a sentence
    std::shared_ptr<const Tokenizer> source;
    std::shared_ptr<const Tokenizer> target;
};

// Fills in what is known of sentences: the groups to show, up to `count` of each kind, and for each run BLEU by length,
// the entropies and a fact with the BLEU of the text. Without references the first sentences are shown.
void add_sentences(Report& report, const ReviewText& text, const std::vector<RunTranslations>& runs,
                   const BleuOptions& options, std::size_t count);

// Attention over words, or over pieces where words say little: where either side has on average four pieces or more a
// word, as a text in a writing without spaces has.
AttentionPicture attention_picture(const Translation& translation, const Tokenizer& source, const Tokenizer& target);

}  // namespace softalign
