#include "cli/translate_arguments.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "cli/options.h"
#include "cli/shared_work.h"

namespace softalign {

namespace {

void add_files(CLI::App& command, TranslateArguments& arguments) {
    add_model_options(command, arguments.models);
    command
        .add_option("--input", arguments.input.text,
                    "Text, one sentence per line, plain or .gz, or, for a feature model, a .npy file or a list of "
                    "such files (default: standard input)")
        ->type_name("FILE|-");
    add_choice(
        command, "--mode", {"auto", "latency", "throughput"},
        [&arguments](const std::string& mode) { arguments.mode = mode; },
        "latency: answer each line at once; throughput: collect lines into full batches; auto: throughput for a file, "
        "latency for a pipe or a terminal (default)")
        ->type_name("MODE");
    command.add_flag("--quiet", arguments.quiet, "Print no summary");
}

void add_documents(CLI::App& command, TranslateArguments& arguments) {
    add_choice(
        command, "--format", {"text", "html"},
        [&arguments](const std::string& format) { arguments.html = format == "html"; },
        "text: one sentence per line; html: a document whose text is translated (default: text)")
        ->type_name("FORMAT");
    add_choice(
        command, "--split", {"sentences"}, [&arguments](const std::string&) { arguments.split = true; },
        "sentences: translate each sentence of a line separately (docs/documents.md)")
        ->type_name("WHAT");
    add_text(command, "--locale", arguments.locale, "Language of the text, for sentence splitting (default: en)")
        ->type_name("NAME");
    command
        .add_option("--abbreviations", arguments.document.abbreviations,
                    "More abbreviations that do not end a sentence, one per line")
        ->type_name("FILE|-");
}

void add_terms(CLI::App& command, TranslateArguments& arguments) {
    command
        .add_flag_function(
            "--keep-spans", [&arguments](std::int64_t on) { arguments.document.form.keep_spans = on > 0; },
            "Keep URLs, e-mail addresses, numbers, placeholders, emoji and what the vocabulary lacks; the default if "
            "the vocabulary has placeholders, unless --keep-spans=false (docs/documents.md)")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    command
        .add_option("--keep", arguments.document.kept_patterns,
                    "ICU regular expression for what else to keep; may be repeated")
        ->allow_extra_args(false)
        ->type_name("PATTERN");
    command
        .add_option("--glossary", arguments.glossary,
                    "Terms and the translations to use for them: lines with term, tab, translation")
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
    command.add_flag("--repair", arguments.repair,
                     "Search again if a translation repeats itself or copies its source; --json says where");
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

void add_translate_options(CLI::App& command, TranslateArguments& arguments) {
    add_files(command, arguments);
    add_documents(command, arguments);
    add_terms(command, arguments);
    add_requests(command, arguments);
    add_search_options(command, arguments.search);
    add_request_options(command, arguments.search);
    add_output_options(command, arguments.output);
    add_unknown_words(command, arguments);
    add_report(command, arguments);
    add_machine_options(command, arguments.machine);
    add_distributed_options(command, arguments.distributed);
}

}  // namespace softalign
