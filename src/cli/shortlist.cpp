#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/stopwatch.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/program.h"
#include "data/parallel_lines.h"
#include "storage/model_directory.h"
#include "translate/attention_counter.h"
#include "translate/batching.h"
#include "translate/shortlist.h"
#include "translate/stream.h"
#include "translate/text_output.h"

namespace softalign {

namespace {

struct ShortlistArguments {
    std::string model;
    std::string weights;
    std::string source;
    std::string target;
    std::string output;  // empty = shortlist.txt of the model directory
    ShortlistSizes sizes;
    GivenKeys given;  // search.batch_size
    MachineOptions machine;
    bool quiet = false;
};

AttentionCounter make_counter(const ShortlistArguments& arguments, const LoadedModel& loaded,
                              const at::Device& device) {
    ScoreOptions options;
    options.batch_size = with_keys(loaded.config.search, arguments.given).batch_size;
    options.workers = arguments.machine.count_workers(loaded.config, device);
    options.precision = arguments.machine.pick_precision(loaded.config, device);
    try {
        return {*loaded.model, *loaded.source_tokenizer, *loaded.target_tokenizer, options};
    } catch (const Error& error) {
        throw Error(error.code(), arguments.model + ": " + error.what());
    }
}

void count(ParallelLines& lines, std::size_t chunk, AttentionCounter& counter) {
    std::vector<SentencePair> pairs;
    for (bool more = true; more;) {
        more = next_pairs(lines, chunk, pairs);
        counter.add(pairs);
    }
}

void report(const AttentionCounter& counter, const Shortlist& shortlist, const std::string& path, double seconds) {
    std::size_t rows = 0;
    std::size_t translations = 0;
    for (const auto& row : shortlist.rows()) {
        rows += row.empty() ? 0 : 1;
        translations += row.size();
    }
    if (counter.left_out() > 0) {
        spdlog::info("{} pairs are longer than the model was trained on and were left out", counter.left_out());
    }
    spdlog::info("{} pairs in {:.2f} s", counter.pairs(), seconds);
    spdlog::info("{}: {} source pieces with {:.1f} translations each, {} pieces always allowed", path, rows,
                 rows == 0 ? 0.0 : static_cast<double>(translations) / static_cast<double>(rows),
                 shortlist.always().size());
}

void check_files(const ShortlistArguments& arguments, const std::string& output) {
    FileNames names;
    names.reads_parts(arguments.model, arguments.weights);
    names.reads("--source", arguments.source);
    names.reads("--target", arguments.target);
    names.writes("--output", output);
    names.check();
}

int run(const ShortlistArguments& arguments) {
    const std::string path = arguments.output.empty() ? shortlist_path(arguments.model) : arguments.output;
    check_files(arguments, path);
    const Config config = load_model_config(arguments.model);
    if (config.data.source_type == SourceType::features) {
        throw Error(ExitCode::model,
                    arguments.model + ": the model reads features, and a shortlist goes by the pieces of the source");
    }
    ParallelLines lines(arguments.source, arguments.target);
    const at::Device device = arguments.machine.pick_device(config);
    const LoadedModel loaded = load_model(arguments.model, device, arguments.weights);
    AttentionCounter counter = make_counter(arguments, loaded, device);
    counter.limit_lengths(config.data.max_source_length, config.data.max_target_length);
    TextOutput file(path);  // its faults show before the work
    const Stopwatch watch;
    const std::int64_t batch = with_keys(config.search, arguments.given).batch_size;
    count(lines, static_cast<std::size_t>(chunk_batches * batch), counter);
    if (counter.pairs() == 0) {
        throw Error(ExitCode::data, arguments.source + " and " + arguments.target +
                                        " have no pair to count; give text of the kind that the model was trained on");
    }
    const Tokenizer& source = *loaded.source_tokenizer;
    const Tokenizer& target = *loaded.target_tokenizer;
    const Shortlist shortlist(counter.counts(), source, target, arguments.sizes);
    file.write(shortlist_text(shortlist, source, target));
    file.close();
    if (!arguments.quiet) {
        report(counter, shortlist, path, watch.seconds());
    }
    return static_cast<int>(ExitCode::success);
}

void add_files(CLI::App& command, ShortlistArguments& arguments) {
    command.add_option("--model", arguments.model, "Model directory")->required()->type_name("DIR");
    command.add_option("--weights", arguments.weights, "Another checkpoint (default: model.safetensors)")
        ->type_name("FILE");
    command.add_option("--source", arguments.source, "Text, one sentence per line, plain or .gz")
        ->required()
        ->type_name("FILE|-");
    command
        .add_option("--target", arguments.target, "Its translation, line by line; the training text is the best choice")
        ->required()
        ->type_name("FILE|-");
    command
        .add_option("--output", arguments.output,
                    "The file to write (default: shortlist.txt in the model directory, where translate --shortlist "
                    "looks for it)")
        ->type_name("FILE|-");
}

}  // namespace

void add_shortlist_command(CLI::App& program, Action& action) {
    CLI::App* command = program.add_subcommand("shortlist", "Make the table of likely translations for --shortlist");
    const auto arguments = std::make_shared<ShortlistArguments>();
    const ShortlistSizes defaults;
    const Allowed pieces = between(0, 1000000);
    add_files(*command, *arguments);
    add_number(*command, "--best", arguments->sizes.best, pieces,
               "Translations kept for each source piece (default: " + std::to_string(defaults.best) + ")");
    add_number(
        *command, "--frequent", arguments->sizes.frequent, pieces,
        "Most frequent target pieces, allowed for every sentence (default: " + std::to_string(defaults.frequent) + ")");
    add_key_option(*command, *find_key("search.batch_size"), arguments->given);
    add_machine_options(*command, arguments->machine);
    command->add_flag("--quiet", arguments->quiet, "Print no summary");
    command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace softalign
