#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/stopwatch.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/program.h"
#include "cli/score.h"
#include "cli/shared_work.h"
#include "data/parallel_lines.h"
#include "document/placeholders.h"
#include "platform/device.h"
#include "text/placeholder_pieces.h"
#include "translate/batching.h"
#include "translate/format.h"
#include "translate/n_best_list.h"
#include "translate/scorer.h"
#include "translate/stream.h"
#include "translate/text_output.h"

namespace softalign {

namespace {

// Sums over what was scored.
struct Totals {
    std::int64_t pairs = 0;
    std::int64_t tokens = 0;
    double log_prob = 0.0;

    void add(const PairScore& score) {
        ++pairs;
        tokens += static_cast<std::int64_t>(score.ids.size());
        log_prob += score.log_prob;
    }
};

void report(const Totals& totals, const ScoreOptions& options, double seconds) {
    spdlog::info("{} pairs, {} target tokens in {:.2f} s ({})", totals.pairs, totals.tokens, seconds,
                 name_of(options.precision));
    if (totals.tokens > 0) {
        const double cross_entropy = -totals.log_prob / static_cast<double>(totals.tokens);
        spdlog::info("cross-entropy {:.4f}, perplexity {:.2f}", cross_entropy, std::exp(cross_entropy));
    }
}

// What the command line alone can tell.
void check_arguments(const ScoreArguments& arguments) {
    const bool rescoring = !arguments.n_best.empty();
    if (rescoring != arguments.target.empty()) {
        throw Error(
            ExitCode::usage,
            "score takes either --target FILE, a translation of each line, or --n-best FILE, a list of several");
    }
    FileNames names;
    arguments.models.name_files(names);
    names.reads("--source", arguments.source);
    names.reads("--target", arguments.target);
    names.reads("--n-best", arguments.n_best);
    names.writes("--output", arguments.output);
    names.check();
}

int run_pairs(const ScoreArguments& arguments, const Group& group, ProcessHelpers* helpers) {
    const Config config = arguments.models.config();
    ParallelLines lines(arguments.source, arguments.target, config.data.source_type);
    TextOutput output(arguments.output);
    const at::Device device = arguments.machine.pick_device(config);
    const LoadedEnsemble loaded = arguments.models.load(device);
    const ScoreOptions options = score_options(arguments, config, loaded, group, helpers);
    Scorer scorer(loaded.ensemble, options);
    const Tokenizer* pieces = arguments.tokens ? &loaded.ensemble.target() : nullptr;
    const auto rewrite = rewriting_of(loaded.ensemble);
    const Stopwatch watch;
    Totals totals;
    std::vector<SentencePair> pairs;
    for (bool more = true; more;) {
        more = next_pairs(lines, chunk_of(options), pairs);
        for (SentencePair& pair : pairs) {
            if (rewrite) {
                rewrite(pair.source, pair.target);
            }
        }
        for (const PairScore& score : scorer.score(pairs)) {
            output.write_line(pair_score_line(score, pieces));
            totals.add(score);
        }
        output.flush();
    }
    dismiss(helpers);
    output.close();
    if (!arguments.quiet) {
        report(totals, options, watch.seconds());
    }
    return static_cast<int>(ExitCode::success);
}

// Helpers get pairs from the first process and give it their scores.
Help help_to_score(const ScoreArguments& arguments, const Group& group) {
    struct Parts {
        LoadedEnsemble loaded;
        Scorer scorer;
    };
    const Config config = arguments.models.config();
    LoadedEnsemble loaded = arguments.models.load(arguments.machine.pick_device(config));
    const ScoreOptions options = score_options(arguments, config, loaded, group);
    const nlohmann::ordered_json settings = settings_of(arguments.models, loaded, options.precision, {});
    const Ensemble ensemble = loaded.ensemble;
    const auto parts = std::shared_ptr<Parts>(new Parts{std::move(loaded), Scorer(ensemble, options)});
    return {options.workers, settings, [parts](const std::string& request) { return parts->scorer.answer(request); }};
}

int run(const ScoreArguments& arguments) {
    check_arguments(arguments);
    return share_work(arguments.distributed, {"score",
                                              [&](const Group& group, ProcessHelpers* helpers) {
                                                  return arguments.n_best.empty()
                                                             ? run_pairs(arguments, group, helpers)
                                                             : run_rescoring(arguments, group, helpers);
                                              },
                                              [&](const Group& group) { return help_to_score(arguments, group); }});
}

void add_rescoring(CLI::App& command, ScoreArguments& arguments) {
    CLI::Option* list = command.add_option(
        "--n-best", arguments.n_best, "An n-best list of the source, as written by translate, instead of --target");
    list->type_name("FILE|-")->excludes("--target");
    command
        .add_option("--feature-name", arguments.feature_name, "Name of the new feature in the list (default: Rescore)")
        ->needs(list)
        ->check(CLI::Validator(
            [](std::string& name) {
                return is_feature_name(name) ? std::string() : std::string("must be one word without = : and |");
            },
            ""))
        ->type_name("NAME");
    CLI::Option* interpolate =
        add_number(command, "--interpolate", arguments.interpolate, between(0, 1),
                   "Score = (1-W) * score + W * log-probability / length normalisation, and sort by it");
    interpolate->needs(list)->type_name("W");
    command.add_flag("--best", arguments.best, "Write only the text of each sentence's best entry")->needs(interpolate);
    command.get_option("--tokens")->excludes(list);
}

}  // namespace

ScoreOptions score_options(const ScoreArguments& arguments, const Config& config, const LoadedEnsemble& loaded,
                           const Group& group, ProcessHelpers* helpers) {
    const at::Device device = loaded.ensemble.device();
    ScoreOptions options;
    options.batch_size = with_keys(config.search, arguments.given).batch_size;
    options.workers = arguments.machine.count_workers(config, device, group.share_of_processors().count);
    options.precision = arguments.machine.pick_precision(config, device);
    options.helpers = helpers;
    if (helpers != nullptr) {
        helpers->require_same(settings_of(arguments.models, loaded, options.precision, {}));
    }
    return options;
}

std::function<void(std::string& source, std::string& target)> rewriting_of(const Ensemble& ensemble) {
    return placeholder_rewriting(ensemble.has_features() ? 0
                                                         : count_placeholders(ensemble.source(), ensemble.target()));
}

std::size_t chunk_of(const ScoreOptions& options) {
    return static_cast<std::size_t>(chunk_batches * options.batch_size);
}

void add_score_command(CLI::App& program, Action& action) {
    CLI::App* command =
        program.add_subcommand("score", "Compute the log-probability of given translations under a model");
    const auto arguments = std::make_shared<ScoreArguments>();
    add_model_options(*command, arguments->models);
    command
        ->add_option("--source", arguments->source,
                     "Text, one sentence per line, plain or .gz, or, for a feature model, a .npy file or a list of "
                     "such files")
        ->required()
        ->type_name("FILE|-");
    command->add_option("--target", arguments->target, "Its translation, line by line")->type_name("FILE|-");
    command
        ->add_option(
            "--output", arguments->output,
            "Log-probabilities and numbers of tokens, one line per pair, or the list (default: standard output)")
        ->type_name("FILE|-");
    command->add_flag("--tokens", arguments->tokens, "Also write the tokens and their log-probabilities");
    add_key_option(*command, *find_key("search.batch_size"), arguments->given);
    add_rescoring(*command, *arguments);
    add_machine_options(*command, arguments->machine);
    add_distributed_options(*command, arguments->distributed);
    command->add_flag("--quiet", arguments->quiet, "Print no summary");
    command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace softalign
