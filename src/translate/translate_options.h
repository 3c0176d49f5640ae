#pragma once

#include <cstdint>
#include <memory>

#include "config/config.h"
#include "search/options.h"
#include "translate/dictionary.h"
#include "translate/shortlist.h"

namespace softalign {

struct TranslateOptions {
    // bos, eos, unk and what the search keeps are set by the translator.
    SearchOptions search;
    // The shortest and the longest translation in pieces, as search.min_length ... of the configuration say.
    double min_length_ratio = 0.0;
    double max_length_ratio = 2.0;
    std::int64_t max_length_offset = 10;
    std::int64_t min_length = 0;
    std::int64_t max_length = 0;            // 0 = no such limit
    bool forbid_unk = false;                // never write the unknown piece
    std::int64_t batch_size = 64;           // sentences
    std::int64_t max_source_length = 1000;  // pieces; what is longer is cut, counted and warned of once
    int workers = 1;
    Precision precision = Precision::float32;  // of the products on the CPU; not where packed weights are given
    bool keep_attention = false;
    bool keep_model_log_probs = false;  // of each model of an ensemble
    bool keep_words = false;            // tell the words of source and target
    // The target pieces that a sentence may have, of the first model's vocabularies; null: all.
    std::shared_ptr<const Shortlist> shortlist;
    std::shared_ptr<const Dictionary> replace_unk;  // write source words for it, translated by this; null: leave it
};

// What the configuration of a model says; one translation a sentence.
TranslateOptions translate_options(const SearchConfig& config);

// Throws Error(configuration), saying which and why, for options out of range or that exclude each other, and for those
// that need attention where there is none.
void check_options(const TranslateOptions& options, bool has_attention);

}  // namespace softalign
