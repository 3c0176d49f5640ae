#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "cli/evaluate_options.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/program.h"
#include "cli/search_options.h"
#include "data/corpus.h"
#include "data/source_lines.h"
#include "metrics/evaluation.h"
#include "storage/model_directory.h"
#include "text/line_reader.h"
#include "text/placeholder_pieces.h"
#include "translate/batch_translator.h"
#include "translate/document_translator.h"
#include "translate/text_output.h"

namespace softalign {

namespace {

struct EvaluateArguments {
    std::vector<std::string> hypotheses;
    std::vector<std::string> references;
    std::string model;
    std::string source;
    std::string output;
    std::string training_source;
    std::string training_target;
    std::vector<std::string> names;
    bool force = false;
    SearchArguments search;
    MachineOptions machine;
    EvaluationRequest request;
};

void check_files(const EvaluateArguments& arguments) {
    FileNames names;
    for (const std::string& path : arguments.hypotheses) {
        names.reads("--hypotheses", path);
    }
    for (const std::string& path : arguments.references) {
        names.reads("--references", path);
    }
    names.reads("--source", arguments.source);
    names.reads("--training-source", arguments.training_source);
    names.reads("--training-target", arguments.training_target);
    names.reads("--shortlist", arguments.search.shortlist_file);
    if (!arguments.model.empty()) {
        names.reads_model(arguments.model);
    }
    names.writes("standard output", "-");
    names.writes_file("--output", arguments.output, "standard output has the scores");
    names.check();
}

void check_form(const EvaluateArguments& arguments) {
    if (arguments.hypotheses.empty() == arguments.model.empty()) {
        throw Error(ExitCode::usage,
                    "evaluate takes either --hypotheses FILE, or --model DIR and --source FILE to translate first");
    }
    if (!arguments.model.empty() && arguments.source.empty()) {
        throw Error(ExitCode::usage, "--model needs --source: the text that the model is to translate");
    }
    const std::vector<std::string>& hypotheses = arguments.hypotheses;
    const std::size_t systems = std::max<std::size_t>(hypotheses.size(), 1);
    if (!arguments.names.empty() && arguments.names.size() != systems) {
        throw Error(ExitCode::usage, "--names takes as many names as there are systems, with commas between: " +
                                         std::to_string(systems) + ", not " + std::to_string(arguments.names.size()));
    }
}

NamedLines read_named(const std::string& path, ByteOrderMark mark = ByteOrderMark::drop) {
    return {path == "-" ? "standard input" : path, read_lines(path, mark)};
}

void print_warning(const std::string& warning) {
    std::cerr << "softalign: warning: " << terminal_text(warning) << "\n";
}

// A text that is scored. A byte order mark belongs to its first word, as for sacreBLEU.
NamedLines read_scored(const std::string& path) {
    NamedLines text = read_named(path, ByteOrderMark::keep);
    if (!text.lines.empty() && starts_with(text.lines[0], byte_order_mark)) {
        print_warning(text.name +
                      " starts with a byte order mark. It is scored as part of the first word, as sacreBLEU does; "
                      "remove it unless you compare with scores of sacreBLEU");
    }
    return text;
}

// Of features the names of the arrays.
std::optional<NamedLines> read_source(const EvaluateArguments& arguments, SourceType type) {
    if (arguments.source.empty()) {
        return std::nullopt;
    }
    return NamedLines{arguments.source == "-" ? "standard input" : arguments.source,
                      read_sources(arguments.source, type)};
}

std::optional<NamedLines> read_if_given(const std::string& path) {
    return path.empty() ? std::nullopt : std::optional<NamedLines>(read_named(path));
}

TranslateOptions search_options(const EvaluateArguments& arguments, const LoadedModel& loaded,
                                const at::Device& device) {
    TranslateOptions options = arguments.search.apply(loaded.config.search);
    const char* for_text = arguments.search.needing_text();
    if (for_text != nullptr && loaded.model->has_features()) {
        throw Error(ExitCode::usage,
                    std::string(for_text) + " is for models that read text; " + arguments.model + " reads features");
    }
    const char* needing = arguments.search.needing_attention(options);
    if (needing != nullptr && !loaded.model->has_attention()) {
        throw Error(ExitCode::usage, std::string(needing) + ": " + arguments.model + " is a model without attention");
    }
    options.workers = arguments.machine.count_workers(loaded.config, device);
    options.precision = arguments.machine.pick_precision(loaded.config, device);
    options.shortlist = arguments.search.load_shortlist(loaded.config.search, arguments.model, *loaded.source_tokenizer,
                                                        *loaded.target_tokenizer);
    return options;
}

// As `translate` does by default.
std::vector<std::string> texts_with_spans(const LoadedModel& loaded, const std::vector<std::string>& lines,
                                          TranslateOptions options) {
    options.keep_words = true;
    options.keep_attention = loaded.model->has_attention();
    BatchTranslator translator(*loaded.model, *loaded.source_tokenizer, *loaded.target_tokenizer, options);
    DocumentOptions reading;
    reading.form.split = false;
    reading.form.constrains = takes_phrases(options.search);
    std::vector<std::string> texts;
    DocumentTranslator(translator, {*loaded.source_tokenizer, *loaded.target_tokenizer}, reading)
        .translate(lines, [&texts](const std::vector<TranslatedParagraph>& part) {
            for (const TranslatedParagraph& line : part) {
                texts.push_back(line.restored.text);
            }
        });
    translator.warn();
    return texts;
}

NamedLines translate_source(const EvaluateArguments& arguments, const NamedLines& source) {
    const at::Device device = arguments.machine.pick_device(load_model_config(arguments.model));
    const LoadedModel loaded = load_model(arguments.model, device);
    const TranslateOptions options = search_options(arguments, loaded, device);
    const bool has_spans =
        !loaded.model->has_features() && count_placeholders(*loaded.source_tokenizer, *loaded.target_tokenizer) > 0;
    return {"the translation of " + source.name,
            has_spans
                ? texts_with_spans(loaded, source.lines, options)
                : best_texts(*loaded.model, *loaded.source_tokenizer, *loaded.target_tokenizer, source.lines, options)};
}

// The model's translations of the source, kept in a file where that was asked for.
NamedLines translated(const EvaluateArguments& arguments, const NamedLines& source) {
    std::optional<TextOutput> kept;
    if (!arguments.output.empty()) {
        kept.emplace(arguments.output);  // its faults show before the work
    }
    NamedLines hypotheses = translate_source(arguments, source);
    if (kept) {
        for (const std::string& line : hypotheses.lines) {
            kept->write_line(line);
        }
        kept->close();
    }
    return hypotheses;
}

int run(const EvaluateArguments& arguments) {
    check_form(arguments);
    check_files(arguments);
    check_request(arguments.request);  // its faults before any reading and translating
    EvaluationTexts texts;
    for (const std::string& path : arguments.references) {
        texts.references.push_back(read_scored(path));
    }
    const SourceType type = arguments.model.empty() ? SourceType::text : source_type_of(arguments.model);
    texts.source = read_source(arguments, type);
    texts.source_is_text = type == SourceType::text;
    texts.training_source = read_if_given(arguments.training_source);
    texts.training_target = read_if_given(arguments.training_target);
    for (const std::string& path : arguments.hypotheses) {
        texts.systems.push_back(read_scored(path));
    }
    if (!arguments.model.empty()) {
        texts.systems.push_back(*texts.source);  // in place of its translation, which has as many lines
    }
    check_texts(texts, arguments.request);
    if (!arguments.model.empty()) {
        texts.systems.front() = translated(arguments, *texts.source);
    }
    for (std::size_t i = 0; i < arguments.names.size(); ++i) {
        texts.systems[i].name = arguments.names[i];
    }
    const std::string warning = arguments.force ? "" : tokenized_text_warning(texts, arguments.request);
    if (!warning.empty()) {
        print_warning(warning);
    }
    std::cout << evaluate(std::move(texts), arguments.request) << "\n";
    return static_cast<int>(ExitCode::success);
}

void add_model_options(CLI::App& command, EvaluateArguments& arguments) {
    CLI::Option* model = command.add_option("--model", arguments.model, "Model directory: translate --source first");
    model->type_name("DIR");
    command.add_option("--source", arguments.source, "The source text, to translate with --model or for --by")
        ->type_name("FILE|-");
    command.add_option("--output", arguments.output, "Save the translations to this file")
        ->needs(model)
        ->type_name("FILE");
    const std::vector<CLI::Option*> before = command.get_options();
    add_search_options(command, arguments.search);
    add_machine_options(command, arguments.machine);
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
    command
        ->add_option("--hypotheses", arguments->hypotheses,
                     "Translations to score, one per line; - is standard input. Several files are systems to compare; "
                     "the first is the baseline")
        ->type_name("FILE|-");
    command->add_option("--references", arguments->references, "One file for each reference translation")
        ->required()
        ->type_name("FILE|-");
    add_model_options(*command, *arguments);
    add_metric_options(*command, arguments->request);
    add_report_options(*command, arguments->request);
    command->add_option("--names", arguments->names, "Names of the systems in the report (default: their files)")
        ->delimiter(',')
        ->type_name("NAME,NAME,...");
    command
        ->add_option("--training-source", arguments->training_source,
                     "The source side of the training text, for --by frequency")
        ->type_name("FILE|-");
    command
        ->add_option("--training-target", arguments->training_target,
                     "The target side of the training text, for --by words")
        ->type_name("FILE|-");
    command->add_flag("--force", arguments->force, "Do not warn about text that looks tokenised");
    command->callback([command, arguments, &action] {
        take_seed_of_environment(*command, arguments->request);
        action = [arguments] { return run(*arguments); };
    });
}

}  // namespace softalign
