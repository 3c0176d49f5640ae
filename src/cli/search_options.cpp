#include "cli/search_options.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "translate/shortlist.h"

namespace softalign {

namespace {

void add_shortlist(CLI::App& command, SearchArguments& arguments) {
    CLI::Option* use = command.add_option_function<std::string>(
        "--shortlist",
        [&arguments](const std::string& file) {
            arguments.given["search.shortlist"] = true;
            arguments.shortlist_file = file;
        },
        "Consider only the pieces that a shortlist allows for a sentence; without FILE: shortlist.txt in the model "
        "directory (default: search.shortlist of the model)");
    use->expected(0, 1)->type_name("FILE");
    command
        .add_flag_callback(
            "--no-shortlist", [&arguments] { arguments.given["search.shortlist"] = false; },
            "Consider all pieces, even if the model's configuration sets search.shortlist")
        ->excludes(use);
}

}  // namespace

TranslateOptions SearchArguments::apply(const SearchConfig& config) const {
    return TranslateOptions{with_keys(config, given)};
}

const char* SearchArguments::needing_attention(const TranslateOptions& options) const {
    if (options.search.coverage_penalty == 0.0) {
        return nullptr;
    }
    return given.count("search.coverage_penalty") > 0
               ? "--coverage-penalty"
               : "search.coverage_penalty of the model's configuration (--coverage-penalty 0 turns it off)";
}

const char* SearchArguments::needing_text() const {
    return asked().shortlist ? "--shortlist" : nullptr;
}

std::shared_ptr<const Shortlist> SearchArguments::load_shortlist(const SearchConfig& config,
                                                                 const std::string& directory, const Tokenizer& source,
                                                                 const Tokenizer& target) const {
    if (!with_keys(config, given).shortlist) {
        return nullptr;
    }
    return std::make_shared<const Shortlist>(shortlist_file.empty() ? read_shortlist_of(directory, source, target)
                                                                    : read_shortlist(shortlist_file, source, target));
}

void add_search_options(CLI::App& command, SearchArguments& arguments) {
    for (const Key& key : search_schema()) {
        if (key.path == "search.shortlist") {
            add_shortlist(command, arguments);
        } else if (!key.of_request) {
            add_key_option(command, key, arguments.given);
        }
    }
}

void add_request_options(CLI::App& command, SearchArguments& arguments) {
    for (const Key& key : search_schema()) {
        if (key.of_request) {
            add_key_option(command, key, arguments.given);
        }
    }
    command.get_option("--sample")->excludes(command.get_option("--beam"));
}

}  // namespace softalign
