#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/machine_options.h"
#include "cli/search_options.h"
#include "data/corpus.h"
#include "metrics/evaluation.h"
#include "storage/model_directory.h"
#include "translate/batch_translator.h"

namespace softalign {

namespace {

struct EvaluateArguments {
    std::string hypotheses;
    std::vector<std::string> references;
    std::string model;
    std::string source;
    std::string output;
    SearchArguments search;
    MachineOptions machine;
    EvaluationRequest request;
};

void check_form(const EvaluateArguments& arguments) {
    if (arguments.hypotheses.empty() == arguments.model.empty()) {
        throw Error(ExitCode::usage,
                    "evaluate takes either --hypotheses FILE, or --model DIR and --source FILE to translate first");
    }
    if (arguments.model.empty() != arguments.source.empty()) {
        throw Error(ExitCode::usage, "--model and --source belong together: the model translates the source");
    }
    for (const std::string& reference : arguments.references) {
        if (reference == "-") {
            throw Error(ExitCode::usage, "--references takes files only; standard input may be the hypotheses");
        }
    }
}

NamedLines read_named(const std::string& path) {
    return {path == "-" ? "standard input" : path, read_lines(path)};
}

TranslateOptions search_options(const EvaluateArguments& arguments, const LoadedModel& loaded,
                                const at::Device& device) {
    TranslateOptions options = arguments.search.apply(loaded.config.search);
    options.workers = arguments.machine.count_workers(loaded.config, device);
    options.precision = arguments.machine.pick_precision(loaded.config, device);
    options.shortlist = arguments.search.load_shortlist(loaded.config.search, arguments.model, *loaded.source_tokenizer,
                                                        *loaded.target_tokenizer);
    return options;
}

NamedLines translate_source(const EvaluateArguments& arguments, const NamedLines& source) {
    const at::Device device = arguments.machine.pick_device(load_model_config(arguments.model));
    const LoadedModel loaded = load_model(arguments.model, device);
    const auto translations = translate(*loaded.model, *loaded.source_tokenizer, *loaded.target_tokenizer, source.lines,
                                        search_options(arguments, loaded, device));
    NamedLines hypotheses{"the translation of " + source.name, {}};
    hypotheses.lines.reserve(translations.size());
    for (const std::vector<Translation>& best : translations) {
        hypotheses.lines.push_back(best.front().text);
    }
    return hypotheses;
}

void write_lines(AtomicFile& file, const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        text += line + "\n";
    }
    file.write(text.data(), text.size());
    file.commit();
}

int run(const EvaluateArguments& arguments) {
    check_form(arguments);
    bleu_options(arguments.request);  // its faults before any reading and translating
    std::vector<NamedLines> references;
    for (const std::string& path : arguments.references) {
        references.push_back(read_named(path));
    }
    NamedLines hypotheses = read_named(arguments.model.empty() ? arguments.hypotheses : arguments.source);
    if (!arguments.model.empty()) {
        check_line_counts(hypotheses, references);
        std::optional<AtomicFile> kept;
        if (!arguments.output.empty()) {
            kept.emplace(arguments.output);  // its faults show before the work
        }
        hypotheses = translate_source(arguments, hypotheses);
        if (kept) {
            write_lines(*kept, hypotheses.lines);
        }
    }
    std::cout << evaluate(hypotheses, references, arguments.request) << "\n";
    return static_cast<int>(ExitCode::success);
}

void add_scoring_options(CLI::App& command, EvaluationRequest& request) {
    command.add_option("--metrics", request.metrics, "The metrics to print: bleu")->delimiter(',');
    command.add_option("--tokenize", request.tokenize, "BLEU's tokenizer: 13a, intl, zh, char or none (default 13a)");
    command.add_flag("--lowercase", request.lowercase, "Compare lower-cased text");
    command.add_option("--smooth-method", request.smooth_method,
                       "BLEU's smoothing: exp, floor, add-k or none (default exp)");
    command.add_option("--smooth-value", request.smooth_value,
                       "The value that floor (default 0.1) or add-k (default 1) smooths with");
    command.add_option("--format", request.format, "text or json (default text)");
}

void add_model_options(CLI::App& command, EvaluateArguments& arguments) {
    CLI::Option* model = command.add_option("--model", arguments.model, "Model directory: translate --source first");
    model->type_name("DIR");
    command.add_option("--source", arguments.source, "The text to translate with --model")
        ->needs(model)
        ->type_name("FILE");
    command.add_option("--output", arguments.output, "Keep the translations in this file")
        ->needs(model)
        ->type_name("FILE");
    const std::vector<CLI::Option*> before = command.get_options();
    add_search_options(command, arguments.search);
    add_machine_options(command, arguments.machine);
    add_precision_option(command, arguments.machine);
    for (CLI::Option* option : command.get_options()) {
        if (std::find(before.begin(), before.end(), option) == before.end()) {
            option->needs(model);
        }
    }
}

}  // namespace

void add_evaluate_command(CLI::App& program, Action& action) {
    CLI::App* command = program.add_subcommand(
        "evaluate", "Score translations against references, or a model on a source and its references");
    const auto arguments = std::make_shared<EvaluateArguments>();
    command->add_option("--hypotheses", arguments->hypotheses, "Translations to score, one a line; - is standard input")
        ->type_name("FILE");
    command->add_option("--references", arguments->references, "One file for each reference translation")
        ->required()
        ->type_name("FILE");
    add_model_options(*command, *arguments);
    add_scoring_options(*command, arguments->request);
    command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace softalign
