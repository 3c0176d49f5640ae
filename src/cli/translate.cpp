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

#include "base/counted.h"
#include "base/error.h"
#include "base/stopwatch.h"
#include "base/strings.h"
#include "cli/options.h"
#include "cli/program.h"
#include "cli/shared_work.h"
#include "cli/translate_arguments.h"
#include "distributed/group.h"
#include "distributed/process_helpers.h"
#include "platform/device.h"
#include "report/translation_report.h"
#include "storage/model_directory.h"
#include "text/line_reader.h"
#include "translate/batch_translator.h"
#include "translate/batching.h"
#include "translate/document_translator.h"
#include "translate/glossary.h"
#include "translate/outputs.h"
#include "translate/request_queue.h"
#include "translate/sentence_encoder.h"
#include "translate/stream.h"
#include "translate/word_boundaries.h"

namespace softalign {

namespace {

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

// The terms of a glossary are whole words.
std::shared_ptr<const WordBoundaries> whole_words_of(const TranslateArguments& arguments, const Ensemble& ensemble) {
    return arguments.glossary.empty() ? nullptr
                                      : std::make_shared<const WordBoundaries>(word_boundaries(ensemble.target()));
}

TranslateOptions options_of(const TranslateArguments& arguments, const Config& config, const at::Device& device,
                            const Group& group) {
    TranslateOptions options = arguments.search.apply(config.search);
    options.workers = arguments.machine.count_workers(config, device, group.share_of_processors().count);
    options.precision = arguments.machine.pick_precision(config, device);
    options.keep_attention = arguments.output.options.needs_attention();
    options.keep_words = arguments.output.options.needs_words();
    options.repair = arguments.repair;
    options.keep_model_log_probs = arguments.output.options.features || !arguments.output.options.json.empty();
    if (arguments.replace_unk) {
        options.replace_unk = dictionary_of(arguments, options.search.forbid_unk);
    }
    if (!arguments.report.empty() || arguments.html || arguments.keeps()) {
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
    settings["repair"] = options.repair;
    settings["glossary"] = !arguments.glossary.empty();
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
    TranslationHelp(const TranslateArguments& given, const Group& group)
        : config_(given.models.config()),
          device_(given.machine.pick_device(config_)),
          loaded_(given.models.load(device_)) {
        const TranslateArguments arguments = with_default_spans(given, loaded_.ensemble);
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
        options.whole_words = whole_words_of(arguments, loaded_.ensemble);
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
    spdlog::info("{} in {:.2f} s ({:.1f} sentences/s; beam {}, {}, {})", counted(translator.sentences(), "sentence"),
                 seconds, seconds > 0.0 ? sentences / seconds : 0.0, width_of(translator.options().search),
                 counted(translator.options().workers, "worker"), name_of(translator.options().precision));
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

// A whole file. Throws Error(data) for what cannot be read or is not UTF-8.
std::string read_document(const std::string& path) {
    InputStream input(path);
    std::string text;
    std::vector<char> buffer(std::size_t{1} << 16);
    for (std::size_t size = 0; (size = input.read(buffer.data(), buffer.size())) > 0;) {
        text.append(buffer.data(), size);
    }
    if (const std::size_t at = first_invalid_utf8(text); at > 0) {
        const std::size_t begin = text.substr(0, at - 1).rfind('\n') + 1;  // of the line; npos + 1 is 0
        const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n') + 1;
        throw Error(ExitCode::data, input.name() + ":" + std::to_string(line) + ":" + std::to_string(at - begin) +
                                        ": invalid UTF-8; convert the file to UTF-8, for example with iconv");
    }
    return text;
}

// Whether sentences are gathered into full chunks; else each is answered as soon as it can be.
bool full_chunks(const TranslateArguments& arguments, const RequestFeed& feed) {
    return arguments.mode == "throughput" || (arguments.mode == "auto" && feed.is_regular());
}

// Sentences are no longer than those that the model was trained on.
DocumentOptions document_options(const TranslateArguments& arguments, const Config& config,
                                 const SearchConfig& search) {
    DocumentOptions options = arguments.document;
    options.locale = arguments.locale.empty() ? options.locale : arguments.locale;
    options.form.split = arguments.split;
    options.form.markup = arguments.html ? Markup::html : Markup::none;
    options.form.constrains = takes_phrases(search);
    options.longest = static_cast<std::size_t>(std::min(config.data.max_source_length, search.max_source_length));
    return options;
}

StreamOptions stream_options(const TranslateArguments& arguments, const SearchConfig& search,
                             const std::optional<RequestFeed>& feed, Outputs& outputs) {
    StreamOptions options;
    options.chunk = chunk_batches * search.batch_size;
    options.full_chunks = feed && full_chunks(arguments, *feed);
    options.after_chunk = [&outputs] { outputs.flush(); };
    return options;
}

// Translates text in which sentences or spans are found, with the glossary that it reads the text by.
class Documents {
public:
    Documents(const TranslateArguments& arguments, const Config& config, BatchTranslator& translator,
              const TokenizerPair& tokenizers) {
        DocumentOptions options = document_options(arguments, config, translator.options().search);
        if (!arguments.glossary.empty()) {
            glossary_ = Glossary(arguments.glossary, tokenizers.target);
            options.form.glossary = &glossary_;
        }
        translator_.emplace(translator, tokenizers, options);
    }
    Documents(const Documents&) = delete;
    Documents& operator=(const Documents&) = delete;

    DocumentTranslator& translator() { return *translator_; }

private:
    Glossary glossary_;
    std::optional<DocumentTranslator> translator_;
};

// Where translations go.
struct Destination {
    Outputs& outputs;
    TranslationReport* page;  // null: none
    TokenizerPair tokenizers;
};

// Translates the lines of a queue; by `documents`, unless that is null.
void translate_lines(BatchTranslator& translator, DocumentTranslator* documents, RequestQueue& requests,
                     const Destination& to, const StreamOptions& options) {
    if (documents != nullptr) {
        translate_paragraphs(
            *documents, requests,
            [&](std::int64_t index, const TranslatedParagraph& paragraph) {
                to.outputs.write(index, paragraph, to.tokenizers);
            },
            options);
        return;
    }
    translate_stream(
        translator, requests,
        [&](std::int64_t index, const std::vector<Translation>& found) {
            to.outputs.write(index, found, to.tokenizers);
            if (to.page != nullptr) {
                to.page->add(found.front(), to.tokenizers);
            }
        },
        options);
}

int translate_all(const TranslateArguments& given, const OutputOptions& written, const Group& group,
                  ProcessHelpers* helpers) {
    // What the files lack is said before what the model lacks.
    const SourceType type = source_type_of(given.models.directories.front());
    if (type == SourceType::features) {
        check_features(given);
    }
    RequestFiles input = given.input;
    input.type = type;
    const std::string document = given.html ? read_document(input.text) : "";
    std::optional<RequestFeed> feed;
    if (!given.html) {
        feed.emplace(input);
    }
    Outputs outputs(written);
    std::optional<TranslationReport> page;
    if (!given.report.empty()) {
        page.emplace(given.report, given.report_references, given.input.text, type);
    }
    const Config config = given.models.config();
    const at::Device device = given.machine.pick_device(config);
    const LoadedEnsemble loaded = given.models.load(device);
    const TranslateArguments arguments = with_default_spans(given, loaded.ensemble);
    TranslateOptions options = options_of(arguments, config, device, group);
    options.shortlist = arguments.search.load_shortlist(config.search, arguments.models.directories.front(),
                                                        loaded.ensemble.source(), loaded.ensemble.target());
    check_models(arguments, options, loaded.ensemble);
    if (helpers != nullptr) {
        helpers->require_same(shared_settings(arguments, loaded, options));
        options.helpers = helpers;
    }
    options.whole_words = whole_words_of(arguments, loaded.ensemble);
    BatchTranslator translator(loaded.ensemble, options);
    const StreamOptions stream = stream_options(arguments, options.search, feed, outputs);
    const TokenizerPair tokenizers{loaded.ensemble.source(), loaded.ensemble.target()};
    std::optional<Documents> documents;
    if (arguments.has_documents()) {
        documents.emplace(arguments, config, translator, tokenizers);
    }
    const Stopwatch watch;
    if (arguments.html) {
        documents->translator().translate({document}, [&](const std::vector<TranslatedParagraph>& found) {
            outputs.write_document(found.front(), tokenizers);
        });
    } else {
        RequestQueue& requests = feed->start(static_cast<std::size_t>(stream.chunk));
        const FailureOfHelpers failure(helpers, requests);
        translate_lines(translator, documents ? &documents->translator() : nullptr, requests,
                        {outputs, page ? &*page : nullptr, tokenizers}, stream);
    }
    dismiss(helpers);
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
        {"translate",
         [&](const Group& group, ProcessHelpers* helpers) { return translate_all(arguments, written, group, helpers); },
         [&](const Group& group) { return TranslationHelp::give(arguments, group); }});
}

}  // namespace

void add_translate_command(CLI::App& program, Action& action) {
    CLI::App* command = program.add_subcommand("translate", "Translate text with a model");
    const auto arguments = std::make_shared<TranslateArguments>();
    add_translate_options(*command, *arguments);
    command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace softalign
