#include "cli/files.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <string>

#include "base/error.h"
#include "cli/options.h"

namespace softalign {

namespace {

void add_alignments(CLI::App& command, OutputOptions& options) {
    CLI::Option* alignments =
        command
            .add_option("--alignments", options.alignments, "Write source-target alignments, one line per translation")
            ->type_name("FILE|-");
    const std::map<std::string, AlignmentFormat> formats = {{"hard", AlignmentFormat::hard},
                                                            {"soft", AlignmentFormat::soft}};
    add_choice(
        command, "--alignment-format", {"hard", "soft"},
        [&options, formats](const std::string& name) { options.alignment_format = formats.at(name); },
        "hard: pairs i-j (default); soft: matrices of weights as JSON")
        ->needs(alignments)
        ->type_name("FORMAT");
    const std::map<std::string, AlignmentUnits> units = {{"pieces", AlignmentUnits::pieces},
                                                         {"words", AlignmentUnits::words}};
    add_choice(
        command, "--alignment-units", {"pieces", "words"},
        [&options, units](const std::string& name) { options.alignment_units = units.at(name); },
        "Units of alignments: pieces (default) or words")
        ->needs(alignments)
        ->type_name("UNITS");
}

}  // namespace

OutputOptions OutputArguments::resolved(std::int64_t n_best) const {
    OutputOptions result = options;
    result.text = text.value_or(options.json == "-" ? "" : "-");
    result.n_best_lines = n_best > 1 || options.features;
    if (result.text.empty() && (options.features || options.pieces)) {
        throw Error(ExitCode::usage, std::string(options.features ? "--features" : "--pieces") +
                                         " is about the lines of --output, which are not written where --json takes "
                                         "standard output; give --output FILE");
    }
    return result;
}

void add_output_options(CLI::App& command, OutputArguments& arguments) {
    OutputOptions& options = arguments.options;
    command
        .add_option("--output", arguments.text,
                    "Translations, one per line (default: standard output, unless --json writes there)")
        ->type_name("FILE|-");
    command.add_flag("--pieces", options.pieces, "Write vocabulary pieces instead of text");
    command.add_flag("--features", options.features, "Write n-best lines with the parts of each score");
    command.add_option("--scores", options.scores, "Write score and log-probability, one line per translation")
        ->type_name("FILE|-");
    command
        .add_option("--token-scores", options.token_scores,
                    "Write pieces and their log-probabilities, one line per translation")
        ->type_name("FILE|-");
    add_alignments(command, options);
    CLI::Option* json = command.add_option("--json", options.json, "Write everything as JSON, one line per sentence")
                            ->type_name("FILE|-");
    command.add_flag("--json-attention", options.json_attention, "Include attention weights in the JSON")->needs(json);
}

}  // namespace softalign
