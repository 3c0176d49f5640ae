#include "cli/search_options.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "translate/shortlist_file.h"

namespace softalign {

namespace {

const std::string else_model = " (default: the model's configuration)";
constexpr std::int64_t many = 1000000;

template <typename Value>
void set(Value& value, const std::optional<Value>& given) {
    value = given.value_or(value);
}

void add_lengths(CLI::App& command, SearchArguments& arguments) {
    const CLI::Range ratio(0.0, 1000.0);
    const CLI::Range pieces(std::int64_t{0}, many);
    command
        .add_option("--max-length-ratio", arguments.max_length_ratio,
                    "Maximum length: ratio * source pieces + offset" + else_model)
        ->check(ratio);
    command.add_option("--max-length-offset", arguments.max_length_offset, "The offset, in pieces" + else_model)
        ->check(pieces);
    command.add_option("--max-length", arguments.max_length, "Maximum length for any source; 0: no limit" + else_model)
        ->check(pieces);
    command
        .add_option("--min-length-ratio", arguments.min_length_ratio,
                    "Minimum length: ratio * source pieces" + else_model)
        ->check(ratio);
    command.add_option("--min-length", arguments.min_length, "Minimum length for any source" + else_model)
        ->check(pieces);
}

void check(const SearchArguments& arguments, const TranslateOptions& options) {
    const SearchOptions& search = options.search;
    if (search.n_best > search.beam) {
        throw Error(ExitCode::usage, "--n-best " + std::to_string(search.n_best) + " is more than the beam of " +
                                         std::to_string(search.beam) +
                                         (arguments.beam ? "" : " that the model's configuration sets") +
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
    if (options.max_length > 0 && options.min_length > options.max_length) {
        throw Error(ExitCode::usage, "the shortest output, " + std::to_string(options.min_length) +
                                         " pieces, is longer than the longest, " + std::to_string(options.max_length) +
                                         "; see --min-length and --max-length");
    }
}

void add_shortlist(CLI::App& command, SearchArguments& arguments) {
    CLI::Option* use = command.add_option_function<std::vector<std::string>>(
        "--shortlist",
        [&arguments](const std::vector<std::string>& files) {
            arguments.shortlist = true;
            arguments.shortlist_file = files.empty() ? "" : files.front();
        },
        "Consider only the pieces that a shortlist allows for a sentence; without FILE: shortlist.txt in the model "
        "directory" +
            else_model);
    use->expected(0, 1)->type_name("FILE");
    command
        .add_flag_callback(
            "--no-shortlist", [&arguments] { arguments.shortlist = false; },
            "Consider all pieces, even if the model's configuration sets search.shortlist")
        ->excludes(use);
}

}  // namespace

TranslateOptions SearchArguments::apply(const SearchConfig& config) const {
    TranslateOptions options = translate_options(config);
    SearchOptions& search = options.search;
    set(search.beam, beam);
    set(search.patience, patience);
    set(search.scoring.length_norm, length_norm);
    set(search.scoring.length_alpha, length_alpha);
    set(search.scoring.coverage_penalty, coverage_penalty);
    set(search.scoring.word_penalty, word_penalty);
    set(search.no_repeat_ngram, no_repeat_ngram);
    set(options.min_length_ratio, min_length_ratio);
    set(options.max_length_ratio, max_length_ratio);
    set(options.max_length_offset, max_length_offset);
    set(options.min_length, min_length);
    set(options.max_length, max_length);
    set(options.forbid_unk, forbid_unk);
    set(options.batch_size, batch_size);
    search.n_best = n_best;
    search.groups = groups;
    search.diversity = groups > 1 ? diversity : 0.0;
    if (sample) {
        search.sampling = sampling;
        search.beam = n_best;
    }
    check(*this, options);
    return options;
}

std::shared_ptr<const Shortlist> SearchArguments::load_shortlist(const SearchConfig& config,
                                                                 const std::string& directory, const Tokenizer& source,
                                                                 const Tokenizer& target) const {
    if (!shortlist.value_or(config.shortlist)) {
        return nullptr;
    }
    return std::make_shared<const Shortlist>(shortlist_file.empty() ? read_shortlist_of(directory, source, target)
                                                                    : read_shortlist(shortlist_file, source, target));
}

void add_search_options(CLI::App& command, SearchArguments& arguments) {
    const CLI::Range from_zero(0.0, 1000.0);
    command.add_option("--beam", arguments.beam, "Hypotheses kept at each step; 1 is greedy search" + else_model)
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000}));
    command
        .add_option(
            "--patience", arguments.patience,
            "A sentence is done when this times the beam is finished; 0: when no other hypothesis can win" + else_model)
        ->check(from_zero);
    command
        .add_option_function<std::string>(
            "--length-norm",
            [&arguments](const std::string& name) {
                arguments.length_norm = name == "wu" ? LengthNorm::wu : LengthNorm::power;
            },
            "Score = log-probability / length^alpha (power) or / ((5 + length) / 6)^alpha (wu)" + else_model)
        ->check(CLI::IsMember({"power", "wu"}).description(""))
        ->type_name("NORM");
    command.add_option("--length-alpha", arguments.length_alpha, "The alpha of --length-norm" + else_model)
        ->check(from_zero);
    command
        .add_option("--coverage-penalty", arguments.coverage_penalty,
                    "Weight of the penalty for source pieces without attention" + else_model)
        ->check(from_zero);
    command
        .add_option("--word-penalty", arguments.word_penalty,
                    "Subtracted from the score for each piece; a negative value rewards length" + else_model)
        ->check(CLI::Range(-1000.0, 1000.0));
    add_lengths(command, arguments);
    command
        .add_option("--no-repeat-ngram", arguments.no_repeat_ngram,
                    "No sequence of this many pieces occurs twice; 0: no restriction" + else_model)
        ->check(CLI::Range(std::int64_t{0}, many));
    command.add_flag_function(
        "--forbid-unk", [&arguments](std::int64_t on) { arguments.forbid_unk = on > 0; },
        "Never write the unknown piece; --forbid-unk=false allows it (default: the model's configuration)");
    command.add_option("--batch-size", arguments.batch_size, "Sentences translated together" + else_model)
        ->check(CLI::Range(std::int64_t{1}, many));
    add_shortlist(command, arguments);
}

void add_many_options(CLI::App& command, SearchArguments& arguments) {
    command.add_option("--n-best", arguments.n_best, "Translations per sentence, at most the beam (default: 1)")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000}));
    CLI::Option* groups = command
                              .add_option("--diverse-groups", arguments.groups,
                                          "Divide the beam into groups that differ from each other (default: 1)")
                              ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000}));
    command
        .add_option("--diversity", arguments.diversity,
                    "Penalty for a piece that an earlier group chose (default: 0.5)")
        ->needs(groups)
        ->check(CLI::Range(0.0, 1000.0));
    CLI::Option* sample =
        command.add_flag("--sample", arguments.sample, "Draw --n-best translations instead of searching");
    sample->excludes(command.get_option("--beam"));
    command.add_option("--temperature", arguments.sampling.temperature, "Draw from p^(1/temperature) (default: 1)")
        ->needs(sample)
        ->check(CLI::Range(0.001, 1000.0));
    command
        .add_option("--top-k", arguments.sampling.top_k,
                    "Draw from this many most probable pieces; 0: all (default: 0)")
        ->needs(sample)
        ->check(CLI::Range(std::int64_t{0}, many));
    command
        .add_option("--top-p", arguments.sampling.top_p,
                    "Draw from the smallest set of pieces with this probability (default: 1)")
        ->needs(sample)
        ->check(CLI::Range(std::numeric_limits<double>::min(), 1.0).description("above 0, at most 1"));
    command.add_option("--seed", arguments.sampling.seed, "Seed; the same seed gives the same draws (default: 1)")
        ->needs(sample);
}

}  // namespace softalign
