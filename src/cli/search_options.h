#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cli/key_options.h"
#include "config/config.h"
#include "translate/translate_options.h"

namespace CLI {
class App;
}

namespace softalign {

// How to search; what is not set comes from the model's configuration.
struct SearchArguments {
    GivenKeys given;             // of the section `search`
    std::string shortlist_file;  // empty = that of the model directory
    std::int64_t n_best = 1;
    std::int64_t groups = 1;
    double diversity = 0.5;
    bool sample = false;
    DrawOptions sampling;

    // The options of a translator. Throws Error(usage) for options that exclude each other.
    TranslateOptions apply(const SearchConfig& config) const;

    // What asks for attention in these options, as a user calls it; null for nothing.
    const char* needing_attention(const TranslateOptions& options) const;

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
