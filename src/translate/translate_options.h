#pragma once

#include <cstddef>
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
    // Limits on the length of a translation in pieces, as for search.min_length etc. in the configuration.
    double min_length_ratio = 0.0;
    double max_length_ratio = 2.0;
    std::int64_t max_length_offset = 10;
    std::int64_t min_length = 0;
    std::int64_t max_length = 0;            // 0 = no such limit
    bool forbid_unk = false;                // never write the unknown piece
    std::int64_t batch_size = 64;           // sentences
    std::int64_t max_source_length = 1000;  // pieces; longer sentences are cut, counted and warned of once
    int workers = 1;
    Precision precision = Precision::float32;  // of products on the CPU; ignored if packed weights are given
    bool keep_attention = false;
    bool keep_model_log_probs = false;  // of each model of an ensemble
    bool keep_words = false;            // return the words of source and target
    // Of the translations that are returned together, about; those of one sentence may take more.
    std::size_t answer_bytes = std::size_t{256} << 20;
    // The target pieces that each sentence may use, for the first model's vocabularies; null: all.
    std::shared_ptr<const Shortlist> shortlist;
    std::shared_ptr<const Dictionary> replace_unk;  // writes source words for it, translated by this; null: off
};

// The options that a model's configuration gives; one translation per sentence.
TranslateOptions translate_options(const SearchConfig& config);

// Throws Error(configuration), saying which and why, for options that are out of range, exclude each other, or need
// attention when there is none.
void check_options(const TranslateOptions& options, bool has_attention);

}  // namespace softalign
