#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/stopwatch.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/program.h"
#include "cli/search_options.h"
#include "cli/shared_work.h"
#include "distributed/group.h"
#include "distributed/process_helpers.h"
#include "platform/device.h"
#include "report/translation_report.h"
#include "storage/model_directory.h"
#include "translate/batch_translator.h"
#include "translate/document_translator.h"
#include "translate/outputs.h"
#include "translate/request_queue.h"
#include "translate/sentence_encoder.h"
#include "translate/stream.h"

namespace softalign {

namespace {

struct TranslateArguments {
    ModelOptions models;
    RequestFiles input;
    OutputArguments output;
    std::string mode = "auto";
    MachineOptions machine;
    std::string dictionary;
    bool replace_unk = false;
    std::string report;
    std::string report_references;
    bool quiet = false;
    bool split = false;
    DocumentOptions document;
    SearchArguments search;
    DistributedConfig distributed;
};

void check_files(const TranslateArguments& arguments, const OutputOptions& written) {
    FileNames names;
    arguments.models.name_files(names);
    names.reads("--input", arguments.input.text);
    names.reads("--prefixes", arguments.input.prefixes);
    names.reads("--phrases", arguments.input.phrases);
    names.reads("--shortlist", arguments.search.shortlist_file);
    names.reads("--dictionary", arguments.dictionary);
    names.reads("--report-references", arguments.report_references);
    names.reads("--abbreviations", arguments.document.abbreviations);
    names.writes("--output", written.text);
    names.writes("--alignments", written.alignments);
    names.writes("--scores", written.scores);
    names.writes("--token-scores", written.token_scores);
    names.writes("--json", written.json);
    names.writes_file("--report", arguments.report, "the report is a page to open");
    names.check();
}

// What is about single lines, and has nothing to say of sentences within them.
void check_split(const TranslateArguments& arguments, const OutputOptions& written, const SearchConfig& asked) {
    const std::pair<const char*, bool> given[] = {{"--prefixes", !arguments.input.prefixes.empty()},
                                                  {"--phrases", !arguments.input.phrases.empty()},
                                                  {"--n-best above 1", asked.n_best > 1},
                                                  {"--features", written.features},
                                                  {"--pieces", written.pieces},
                                                  {"--scores", !written.scores.empty()},
                                                  {"--token-scores", !written.token_scores.empty()},
                                                  {"--alignments", !written.alignments.empty()},
                                                  {"--report", !arguments.report.empty()}};
    for (const auto& [option, is_given] : given) {
        if (is_given) {
            throw Error(ExitCode::usage, std::string(option) +
                                             " cannot be combined with --split, under which a line may be several "
                                             "sentences; --json has what is known about each of them");
        }
    }
}

// What the command line alone can tell.
OutputOptions check_arguments(const TranslateArguments& arguments) {
    if (arguments.output.options.pieces && arguments.replace_unk) {
        throw Error(ExitCode::usage,
                    "--pieces writes the pieces of the vocabulary, which --replace-unk leaves as they are; give one of "
                    "the two");
    }
    const SearchConfig asked = arguments.search.asked();
    if (!arguments.input.phrases.empty() && (asked.sampling || asked.groups > 1)) {
        throw Error(ExitCode::usage, "--phrases cannot be combined with --sample or --diverse-groups");
    }
    const OutputOptions written = arguments.output.resolved(asked.n_best);
    check_files(arguments, written);
    if (arguments.split) {
        check_split(arguments, written, asked);
    }
    return written;
}

// Of options that a model without attention cannot serve the first that was given; null where there is none.
const char* needing_attention(const TranslateArguments& arguments, const TranslateOptions& options) {
    if (!arguments.output.options.alignments.empty()) {
        return "--alignments";
    }
    return arguments.output.options.json_attention ? "--json-attention"
           : arguments.replace_unk                 ? "--replace-unk"
                                                   : arguments.search.needing_attention(options);
}

void check_attention(const TranslateArguments& arguments, const TranslateOptions& options, const Ensemble& ensemble) {
    const char* needing = needing_attention(arguments, options);
    if (needing != nullptr && !ensemble.has_attention()) {
        throw Error(ExitCode::usage, std::string(needing) + ": " + ensemble.lack_of_attention());
    }
    const std::string left_out = ensemble.attention_left_out();
    if ((needing != nullptr || options.keep_attention) && !left_out.empty()) {
        spdlog::warn("attention is without that of some models: {}", left_out);
    }
}

void check_prefixes(const TranslateArguments& arguments, const Ensemble& ensemble) {
    if (!arguments.input.prefixes.empty() && ensemble.reverse_target()) {
        throw Error(ExitCode::usage, "--prefixes: a model that writes from right to left cannot take prefixes");
    }
}

// Options for text of which features have nothing.
void check_features(const TranslateArguments& arguments) {
    const char* const given = arguments.split         ? "--split"
                              : arguments.replace_unk ? "--replace-unk"
                              : arguments.search.given.count("search.max_source_length") > 0
                                  ? "--max-source-length"
                                  : arguments.search.needing_text();
    if (given != nullptr) {
        throw Error(ExitCode::usage, std::string(given) + " is for models that read text; " + arguments.models.names() +
                                         " reads features");
    }
}

// What source words are translated by where they take the place of unknown pieces.
std::shared_ptr<const Dictionary> dictionary_of(const TranslateArguments& arguments, bool forbid_unk) {
    if (forbid_unk) {
        throw Error(ExitCode::usage, std::string("--replace-unk: there is nothing to replace where ") +
                                         (arguments.search.given.count("search.forbid_unk") > 0
                                              ? "--forbid-unk"
                                              : "search.forbid_unk of the model's configuration") +
                                         " keeps unknown pieces away; give --forbid-unk=false");
    }
    return arguments.dictionary.empty() ? std::make_shared<const Dictionary>()
                                        : std::make_shared<const Dictionary>(arguments.dictionary);
}

TranslateOptions options_of(const TranslateArguments& arguments, const Config& config, const at::Device& device,
                            const Group& group) {
    TranslateOptions options = arguments.search.apply(config.search);
    options.workers = arguments.machine.count_workers(config, device, group.sharing_processors());
    options.precision = arguments.machine.pick_precision(config, device);
    options.keep_attention = arguments.output.options.needs_attention();
    options.keep_words = arguments.output.options.needs_words();
    options.keep_model_log_probs = arguments.output.options.features || !arguments.output.options.json.empty();
    if (arguments.replace_unk) {
        options.replace_unk = dictionary_of(arguments, options.search.forbid_unk);
    }
    if (!arguments.report.empty()) {
        options.keep_words = true;
        options.keep_attention = true;
    }
    return options;
}

// What all processes that share the work must have alike.
nlohmann::ordered_json shared_settings(const TranslateArguments& arguments, const LoadedEnsemble& loaded,
                                       const TranslateOptions& options) {
    nlohmann::ordered_json settings = settings_of(arguments.models, loaded, options.precision, options.search);
    settings["need of attention"] = options.keep_attention || arguments.replace_unk;
    settings["need of the models' probabilities"] = options.keep_model_log_probs;
    if (options.shortlist) {
        const std::string& named = arguments.search.shortlist_file;
        settings["shortlist"] =
            checksum_of(named.empty() ? shortlist_path(arguments.models.directories.front()) : named);
    }
    return settings;
}

// Helpers get sentences from the first process and give it what the search has found.
class TranslationHelp {
public:
    TranslationHelp(const TranslateArguments& arguments, const Group& group)
        : config_(arguments.models.config()),
          device_(arguments.machine.pick_device(config_)),
          loaded_(arguments.models.load(device_)) {
        TranslateArguments mine = arguments;
        mine.dictionary.clear();
        TranslateOptions options = options_of(mine, config_, device_, group);
        options.shortlist = arguments.search.load_shortlist(config_.search, arguments.models.directories.front(),
                                                            loaded_.ensemble.source(), loaded_.ensemble.target());
        settings_ = shared_settings(arguments, loaded_, options);
        // Words are the first process's.
        options.keep_attention = options.keep_attention || arguments.replace_unk;
        options.keep_words = false;
        options.replace_unk = nullptr;
        translator_.emplace(loaded_.ensemble, options);
    }

    static Help give(const TranslateArguments& arguments, const Group& group) {
        const auto shared = std::make_shared<TranslationHelp>(arguments, group);
        return {shared->translator_->options().workers, shared->settings_,
                [shared](const std::string& request) { return shared->translator_->answer(request); }};
    }

private:
    Config config_;
    at::Device device_;
    LoadedEnsemble loaded_;
    nlohmann::ordered_json settings_;
    std::optional<BatchTranslator> translator_;
};

void report(const BatchTranslator& translator, double seconds) {
    const auto sentences = static_cast<double>(translator.sentences());
    spdlog::info("{} sentences in {:.2f} s ({:.1f} sentences/s; beam {}, {} worker{}, {})", translator.sentences(),
                 seconds, seconds > 0.0 ? sentences / seconds : 0.0, width_of(translator.options().search),
                 translator.options().workers, translator.options().workers == 1 ? "" : "s",
                 name_of(translator.options().precision));
}

// While it lives, helpers that fail end the queue, even one that waits for input.
class FailureOfHelpers {
public:
    FailureOfHelpers(ProcessHelpers* helpers, RequestQueue& requests) : helpers_(helpers) {
        if (helpers_ != nullptr) {
            helpers_->on_failure([&requests](const std::exception_ptr& failure) { requests.close(failure); });
        }
    }
    ~FailureOfHelpers() {
        if (helpers_ != nullptr) {
            helpers_->on_failure(nullptr);
        }
    }
    FailureOfHelpers(const FailureOfHelpers&) = delete;
    FailureOfHelpers& operator=(const FailureOfHelpers&) = delete;

private:
    ProcessHelpers* helpers_;
};

// Whether sentences are gathered into full chunks; else each is answered as soon as it can be.
bool full_chunks(const TranslateArguments& arguments, const RequestFeed& feed) {
    return arguments.mode == "throughput" || (arguments.mode == "auto" && feed.is_regular());
}

// Sentences are no longer than those that the model was trained on.
DocumentOptions document_options(const TranslateArguments& arguments, const Config& config,
                                 const SearchConfig& search) {
    DocumentOptions options = arguments.document;
    options.longest = static_cast<std::size_t>(std::min(config.data.max_source_length, search.max_source_length));
    return options;
}

int translate_all(const TranslateArguments& arguments, const OutputOptions& written, const Group& group,
                  ProcessHelpers* helpers) {
    // What the files lack is said before what the model lacks.
    const SourceType type = source_type_of(arguments.models.directories.front());
    if (type == SourceType::features) {
        check_features(arguments);
    }
    RequestFiles input = arguments.input;
    input.type = type;
    RequestFeed feed(input);
    Outputs outputs(written);
    std::optional<TranslationReport> page;
    if (!arguments.report.empty()) {
        page.emplace(arguments.report, arguments.report_references, arguments.input.text, type);
    }
    const Config config = arguments.models.config();
    const at::Device device = arguments.machine.pick_device(config);
    TranslateOptions options = options_of(arguments, config, device, group);
    const LoadedEnsemble loaded = arguments.models.load(device);
    options.shortlist = arguments.search.load_shortlist(config.search, arguments.models.directories.front(),
                                                        loaded.ensemble.source(), loaded.ensemble.target());
    check_attention(arguments, options, loaded.ensemble);
    check_prefixes(arguments, loaded.ensemble);
    if (helpers != nullptr) {
        helpers->require_same(shared_settings(arguments, loaded, options));
        options.helpers = helpers;
    }
    BatchTranslator translator(loaded.ensemble, options);
    StreamOptions stream;
    stream.chunk = chunk_batches * options.search.batch_size;
    stream.full_chunks = full_chunks(arguments, feed);
    stream.after_chunk = [&] { outputs.flush(); };
    const TokenizerPair tokenizers{loaded.ensemble.source(), loaded.ensemble.target()};
    std::optional<DocumentTranslator> documents;
    if (arguments.split) {
        documents.emplace(translator, tokenizers.source, document_options(arguments, config, options.search));
    }
    const Stopwatch watch;
    RequestQueue& requests = feed.start(static_cast<std::size_t>(stream.chunk));
    const FailureOfHelpers failure(helpers, requests);
    if (documents) {
        translate_paragraphs(
            *documents, requests,
            [&](std::int64_t index, const TranslatedParagraph& paragraph) {
                outputs.write(index, paragraph, tokenizers);
            },
            stream);
    } else {
        translate_stream(
            translator, requests,
            [&](std::int64_t index, const std::vector<Translation>& found) {
                outputs.write(index, found, tokenizers);
                if (page) {
                    page->add(found.front(), tokenizers);
                }
            },
            stream);
    }
    if (page) {
        page->finish(arguments.models.names(), loaded);  // its faults leave the outputs as they were
    }
    outputs.close();
    translator.warn();
    if (!arguments.quiet) {
        report(translator, watch.seconds());
    }
    return static_cast<int>(ExitCode::success);
}

int run(const TranslateArguments& arguments) {
    const OutputOptions written = check_arguments(arguments);
    return share_work(
        arguments.distributed,
        {[&](const Group& group, ProcessHelpers* helpers) { return translate_all(arguments, written, group, helpers); },
         [&](const Group& group) { return TranslationHelp::give(arguments, group); }});
}

void add_files(CLI::App& command, TranslateArguments& arguments) {
    add_model_options(command, arguments.models);
    command
        .add_option("--input", arguments.input.text,
                    "Text, one sentence a line, plain or .gz, or for a model of features a .npy file or a list of such "
                    "files (default: standard input)")
        ->type_name("FILE|-");
    add_choice(
        command, "--mode", {"auto", "latency", "throughput"},
        [&arguments](const std::string& mode) { arguments.mode = mode; },
        "latency: answer each line at once; throughput: collect lines into full batches; auto: throughput for a file, "
        "latency for a pipe or a terminal (default)")
        ->type_name("MODE");
    command.add_flag("--quiet", arguments.quiet, "No summary");
}

void add_documents(CLI::App& command, TranslateArguments& arguments) {
    CLI::Option* split =
        add_choice(
            command, "--split", {"sentences"}, [&arguments](const std::string&) { arguments.split = true; },
            "sentences: translate each sentence of a line by itself (docs/documents.md)")
            ->type_name("WHAT");
    add_text(command, "--locale", arguments.document.locale, "Language of the text, for its sentences (default: en)")
        ->needs(split)
        ->type_name("NAME");
    command
        .add_option("--abbreviations", arguments.document.abbreviations,
                    "More abbreviations that do not end a sentence, one a line")
        ->needs(split)
        ->type_name("FILE|-");
}

void add_requests(CLI::App& command, TranslateArguments& arguments) {
    command.add_option("--prefixes", arguments.input.prefixes, "How each translation starts, one line per sentence")
        ->type_name("FILE|-");
    command
        .add_option("--phrases", arguments.input.phrases,
                    "What each translation must contain, one line per sentence, with tabs between phrases")
        ->type_name("FILE|-");
}

void add_unknown_words(CLI::App& command, TranslateArguments& arguments) {
    CLI::Option* replace = command.add_flag("--replace-unk", arguments.replace_unk,
                                            "Replace unknown pieces by the source word attended to");
    command
        .add_option("--dictionary", arguments.dictionary,
                    "Translations of such words: lines with word, tab, translation")
        ->needs(replace)
        ->type_name("FILE|-");
}

void add_report(CLI::App& command, TranslateArguments& arguments) {
    CLI::Option* report = command.add_option("--report", arguments.report,
                                             "Show translations and attention as an HTML file (docs/report.md)");
    report->type_name("FILE");
    command
        .add_option("--report-references", arguments.report_references,
                    "References for the report, one line per sentence")
        ->needs(report)
        ->type_name("FILE|-");
}

}  // namespace

void add_translate_command(CLI::App& program, Action& action) {
    CLI::App* command = program.add_subcommand("translate", "Translate text with a model");
    const auto arguments = std::make_shared<TranslateArguments>();
    add_files(*command, *arguments);
    add_documents(*command, *arguments);
    add_requests(*command, *arguments);
    add_search_options(*command, arguments->search);
    add_request_options(*command, arguments->search);
    add_output_options(*command, arguments->output);
    add_unknown_words(*command, *arguments);
    add_report(*command, *arguments);
    add_machine_options(*command, arguments->machine);
    add_distributed_options(*command, arguments->distributed);
    command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace softalign
