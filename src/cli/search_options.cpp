#include "cli/search_options.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "cli/value_options.h"
#include "translate/shortlist_file.h"

namespace softalign {

namespace {

constexpr double many = 1000000;

void check(const SearchArguments& arguments, const SearchOptions& search) {
    if (search.n_best > search.beam) {
        throw Error(ExitCode::usage,
                    "--n-best " + std::to_string(search.n_best) + " is more than the beam of " +
                        std::to_string(search.beam) +
                        (arguments.given.count("search.beam") > 0 ? "" : " that the model's configuration sets") +
                        "; add --beam " + std::to_string(search.n_best));
    }
    if (search.groups > 1 && search.sampling) {
        throw Error(ExitCode::usage, "--diverse-groups and --sample exclude each other: groups are of a beam");
    }
    if (search.beam % search.groups != 0) {
        throw Error(ExitCode::usage, "--diverse-groups " + std::to_string(search.groups) +
                                         " does not divide the beam of " + std::to_string(search.beam) +
                                         "; add --beam " +
                                         std::to_string((search.beam / search.groups + 1) * search.groups));
    }
}

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
    TranslateOptions options = translate_options(with_keys(config, given));
    SearchOptions& search = options.search;
    search.n_best = n_best;
    search.groups = groups;
    search.diversity = groups > 1 ? diversity : 0.0;
    if (sample) {
        search.sampling = sampling;
        search.beam = n_best;
    }
    check(*this, search);
    return options;
}

const char* SearchArguments::needing_attention(const TranslateOptions& options) const {
    if (options.search.scoring.coverage_penalty == 0.0) {
        return nullptr;
    }
    return given.count("search.coverage_penalty") > 0
               ? "--coverage-penalty"
               : "search.coverage_penalty of the model's configuration (--coverage-penalty 0 turns it off)";
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
    for (const std::string& name : names_in("search")) {
        if (name == "shortlist") {
            add_shortlist(command, arguments);
        } else {
            add_key_option(command, join_path("search", name), arguments.given);
        }
    }
}

void add_many_options(CLI::App& command, SearchArguments& arguments) {
    const Allowed beams = between(1, find_key("search.beam")->allowed.maximum);
    add_number(command, "--n-best", arguments.n_best, beams,
               "Translations per sentence, at most the beam (default: 1)");
    CLI::Option* groups = add_number(command, "--diverse-groups", arguments.groups, beams,
                                     "Divide the beam into groups that differ from each other (default: 1)");
    add_number(command, "--diversity", arguments.diversity, between(0, 1000),
               "Penalty for a piece that an earlier group chose (default: 0.5)")
        ->needs(groups);
    CLI::Option* sample =
        command.add_flag("--sample", arguments.sample, "Draw --n-best translations instead of searching");
    sample->excludes(command.get_option("--beam"));
    add_number(command, "--temperature", arguments.sampling.temperature, between(0.001, 1000),
               "Draw from p^(1/temperature) (default: 1)")
        ->needs(sample);
    add_number(command, "--top-k", arguments.sampling.top_k, between(0, many),
               "Draw from this many most probable pieces; 0: all (default: 0)")
        ->needs(sample);
    Allowed shares = between(0, 1);
    shares.above_minimum = true;
    add_number(command, "--top-p", arguments.sampling.top_p, shares,
               "Draw from the smallest set of pieces with this probability (default: 1)")
        ->needs(sample);
    add_number(command, "--seed", arguments.sampling.seed, {}, "Seed; the same seed gives the same draws (default: 1)")
        ->needs(sample);
}

}  // namespace softalign
