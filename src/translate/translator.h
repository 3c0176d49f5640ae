#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "search/beam_search.h"
#include "storage/model_directory.h"

namespace softalign {

struct TranslateOptions {
    std::int64_t beam = 5;
    std::int64_t n_best = 1;
    double length_alpha = 1.0;
    double max_length_ratio = 2.0;
    std::int64_t max_length_offset = 10;
    std::int64_t batch_size = 64;  // sentences
    std::int64_t max_source_length = 1000;  // pieces; what is longer is cut, counted and warned of once
    int workers = 1;
    bool keep_attention = false;
};

TranslateOptions translate_options(const SearchConfig& config);

struct Translation {
    std::string text;  // detokenised
    double log_prob = 0.0;
    double score = 0.0;
    std::vector<std::int32_t> source_ids;       // with eos
    std::vector<std::int32_t> ids;              // without eos
    std::vector<std::vector<float>> attention;  // [T][S] where asked for, T with eos, S with eos
};

// Translates raw sentences: encodes them, sorts them by length into batches, lets `workers` threads search, and gives
// n_best translations for each sentence, in the order of the input. An empty (or blank) sentence gives one empty
// translation. The result does not depend on workers or on the order of the sentences.
std::vector<std::vector<Translation>> translate(Seq2Seq& model, const Tokenizer& source, const Tokenizer& target,
                                                const std::vector<std::string>& sentences,
                                                const TranslateOptions& options);

// Pairs (source piece, target piece) of the strongest weight a target piece, eos left out: "0-0 2-1" (Pharaoh format).
std::string pharaoh_alignment(const Translation& translation);

}  // namespace softalign
