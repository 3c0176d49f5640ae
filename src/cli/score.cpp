#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/machine_options.h"
#include "data/parallel_lines.h"
#include "storage/model_directory.h"
#include "translate/format.h"
#include "translate/scorer.h"
#include "translate/text_output.h"

namespace softalign {

namespace {

constexpr std::int64_t batches_a_chunk = 64;

struct ScoreArguments {
    std::string model;
    std::string weights;
    std::string source;
    std::string target;
    std::string output = "-";
    std::optional<std::int64_t> batch_size;  // else what the model's configuration says
    MachineOptions machine;
    bool tokens = false;
    bool quiet = false;
};

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

void report(const Totals& totals, std::chrono::steady_clock::duration elapsed) {
    spdlog::info("{} pairs, {} target tokens in {:.2f} s", totals.pairs, totals.tokens,
                 std::chrono::duration<double>(elapsed).count());
    if (totals.tokens > 0) {
        const double cross_entropy = -totals.log_prob / static_cast<double>(totals.tokens);
        spdlog::info("cross-entropy {:.4f}, perplexity {:.2f}", cross_entropy, std::exp(cross_entropy));
    }
}

int run(const ScoreArguments& arguments) {
    if (arguments.source == "-" && arguments.target == "-") {
        throw Error(ExitCode::usage, "--source and --target cannot both be standard input");
    }
    ParallelLines lines(arguments.source, arguments.target);
    TextOutput output(arguments.output);
    const Config config = load_model_config(arguments.model);
    const at::Device device = arguments.machine.pick_device(config);
    const LoadedModel loaded = load_model(arguments.model, device, arguments.weights);
    ScoreOptions options;
    options.batch_size = arguments.batch_size.value_or(config.search.batch_size);
    options.workers = arguments.machine.count_workers(config, device);
    Scorer scorer(*loaded.model, *loaded.source_tokenizer, *loaded.target_tokenizer, options);
    const Tokenizer* pieces = arguments.tokens ? loaded.target_tokenizer.get() : nullptr;
    const auto chunk = static_cast<std::size_t>(batches_a_chunk * options.batch_size);
    const auto start = std::chrono::steady_clock::now();
    Totals totals;
    for (bool more = true; more;) {
        std::vector<SentencePair> pairs;
        SentencePair pair;
        while (pairs.size() < chunk && (more = lines.next(pair.source, pair.target))) {
            pairs.push_back(pair);
        }
        for (const PairScore& score : scorer.score(pairs)) {
            output.write_line(pair_score_line(score, pieces));
            totals.add(score);
        }
        output.flush();
    }
    output.close();
    if (!arguments.quiet) {
        report(totals, std::chrono::steady_clock::now() - start);
    }
    return static_cast<int>(ExitCode::success);
}

}  // namespace

void add_score_command(CLI::App& program, Action& action) {
    CLI::App* command = program.add_subcommand("score", "Tell how probable given translations are under a model");
    const auto arguments = std::make_shared<ScoreArguments>();
    command->add_option("--model", arguments->model, "Model directory")->required()->type_name("DIR");
    command->add_option("--weights", arguments->weights, "Weights of another checkpoint (default: model.safetensors)")
        ->type_name("FILE");
    command->add_option("--source", arguments->source, "Text, one sentence a line, plain or .gz")
        ->required()
        ->type_name("FILE|-");
    command->add_option("--target", arguments->target, "Its translation, line by line")
        ->required()
        ->type_name("FILE|-");
    command
        ->add_option("--output", arguments->output,
                     "Log-probability and number of tokens, a line a pair (default: standard output)")
        ->type_name("FILE|-");
    command->add_flag("--tokens", arguments->tokens, "Write the tokens and their log-probabilities too");
    command
        ->add_option("--batch-size", arguments->batch_size,
                     "Pairs scored together (default: the model's configuration)")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000000}));
    add_machine_options(*command, arguments->machine);
    command->add_flag("--quiet", arguments->quiet, "No summary");
    command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace softalign
