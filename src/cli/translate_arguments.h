#pragma once

#include <string>

#include "cli/options.h"
#include "cli/search_options.h"
#include "config/config.h"
#include "translate/document_reader.h"
#include "translate/ensemble.h"
#include "translate/outputs.h"
#include "translate/request_queue.h"
#include "translate/translate_options.h"

namespace CLI {
class App;
}

namespace softalign {

// The command line of `translate`.
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
    bool repair = false;
    bool quiet = false;
    bool split = false;
    bool html = false;
    std::string locale;  // empty: English
    std::string glossary;
    DocumentOptions document;
    SearchArguments search;
    DistributedConfig distributed;

    // Whether the input is not sentences, but text in which they are found.
    bool has_sentences() const { return split || html; }

    // Whether a line is not translated as it is.
    bool has_documents() const { return has_sentences() || keeps() || !glossary.empty(); }
    bool keeps() const { return document.form.keep_spans.value_or(false) || !document.kept_patterns.empty(); }
};

// REQUIRES: `arguments` outlives the parsing of the command line.
void add_translate_options(CLI::App& command, TranslateArguments& arguments);

// What the command line alone can tell. Throws Error(usage) for options that do not go together.
OutputOptions check_arguments(const TranslateArguments& arguments);

// With --keep-spans where the models have placeholders, unless it was given; where an option excludes it, warns.
TranslateArguments with_default_spans(const TranslateArguments& arguments, const Ensemble& ensemble);

// Throws Error(usage) for options that the models cannot serve.
void check_models(const TranslateArguments& arguments, const TranslateOptions& options, const Ensemble& ensemble);

// Throws Error(usage) for options about text: the models read features.
void check_features(const TranslateArguments& arguments);

}  // namespace softalign
