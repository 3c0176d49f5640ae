#pragma once

#include <memory>
#include <string>

#include "cli/options.h"
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

    // What the command line asks for, whatever the model.
    SearchConfig asked() const { return with_unchecked_keys({}, given); }

    // The options of a translator. Throws Error(usage) for options that do not go together.
    TranslateOptions apply(const SearchConfig& config) const;

    // What asks for attention in these options, as a user calls it; null for nothing.
    const char* needing_attention(const TranslateOptions& options) const;

    // What is for text alone, as a user calls it; null for nothing.
    const char* needing_text() const;

    // The requested shortlist, null for none: from a file, or from the directory of the model that these tokenizers
    // belong to.
    std::shared_ptr<const Shortlist> load_shortlist(const SearchConfig& config, const std::string& directory,
                                                    const Tokenizer& source, const Tokenizer& target) const;
};

// Adds the options for keys of the model's configuration, which `translate` and `evaluate` share.
// REQUIRES: `arguments` outlives the parsing of the command line.
void add_search_options(CLI::App& command, SearchArguments& arguments);

// Adds those that only `translate` has: n-best lists, groups, sampling and the length of sources.
void add_request_options(CLI::App& command, SearchArguments& arguments);

}  // namespace softalign
