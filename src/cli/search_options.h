#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "config/config.h"
#include "translate/translate_options.h"

namespace CLI {
class App;
}

namespace softalign {

// How to search; what is not set comes from the model's configuration.
struct SearchArguments {
    std::optional<std::int64_t> beam;
    std::optional<double> patience;
    std::optional<LengthNorm> length_norm;
    std::optional<double> length_alpha;
    std::optional<double> coverage_penalty;
    std::optional<double> word_penalty;
    std::optional<double> min_length_ratio;
    std::optional<double> max_length_ratio;
    std::optional<std::int64_t> max_length_offset;
    std::optional<std::int64_t> min_length;
    std::optional<std::int64_t> max_length;
    std::optional<std::int64_t> no_repeat_ngram;
    std::optional<bool> forbid_unk;
    std::optional<std::int64_t> batch_size;
    std::optional<bool> shortlist;
    std::string shortlist_file;  // empty = that of the model directory
    std::int64_t n_best = 1;
    std::int64_t groups = 1;
    double diversity = 0.5;
    bool sample = false;
    DrawOptions sampling;

    // The options of a translator. Throws Error(usage) for options that exclude each other.
    TranslateOptions apply(const SearchConfig& config) const;

    // The requested shortlist, null for none: from a file, or from the directory of the model that these tokenizers
    // belong to.
    std::shared_ptr<const Shortlist> load_shortlist(const SearchConfig& config, const std::string& directory,
                                                    const Tokenizer& source, const Tokenizer& target) const;
};

// Adds the options for one translation per sentence, which `translate` and `evaluate` share.
// REQUIRES: `arguments` outlives the parsing of the command line.
void add_search_options(CLI::App& command, SearchArguments& arguments);

// Adds n-best lists, groups and sampling.
void add_many_options(CLI::App& command, SearchArguments& arguments);

}  // namespace softalign
