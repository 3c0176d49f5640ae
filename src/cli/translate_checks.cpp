#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/files.h"
#include "cli/translate_arguments.h"
#include "document/html_text.h"
#include "text/placeholder_pieces.h"
#include "translate/sentence_encoder.h"

namespace softalign {

namespace {

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
    names.reads("--glossary", arguments.glossary);
    names.writes("--output", written.text);
    names.writes("--alignments", written.alignments);
    names.writes("--scores", written.scores);
    names.writes("--token-scores", written.token_scores);
    names.writes("--json", written.json);
    names.writes_file("--report", arguments.report, "the report is a page to open");
    names.check();
}

// What is about single lines, and has nothing to say of sentences that are found in a text.
// The first such option that was given; null where there is none.
const char* about_lines(const TranslateArguments& arguments, const OutputOptions& written, const SearchConfig& asked) {
    const std::pair<const char*, bool> given[] = {{"--prefixes", !arguments.input.prefixes.empty()},
                                                  {"--phrases", !arguments.input.phrases.empty()},
                                                  {"--n-best above 1", asked.n_best > 1},
                                                  {"--features", written.features},
                                                  {"--pieces", written.pieces},
                                                  {"--scores", !written.scores.empty()},
                                                  {"--token-scores", !written.token_scores.empty()},
                                                  {"--alignments", !written.alignments.empty()},
                                                  {"--report", !arguments.report.empty()}};
    const auto* const first =
        std::find_if(std::begin(given), std::end(given), [](const auto& one) { return one.second; });
    return first == std::end(given) ? nullptr : first->first;
}

void check_split(const TranslateArguments& arguments, const OutputOptions& written, const SearchConfig& asked) {
    if (const char* const option = about_lines(arguments, written, asked)) {
        const bool is_input = std::string_view(option) == "--prefixes" || std::string_view(option) == "--phrases";
        throw Error(ExitCode::usage, std::string(option) + " cannot be combined with " +
                                         (arguments.html    ? "--format html, under which the input is a document"
                                          : arguments.split ? "--split, under which a line may be several sentences"
                                                            : "--keep-spans, --keep or --glossary") +
                                         (!arguments.html && !arguments.split ? "; leave out one of them"
                                          : is_input ? "; give it for text of one sentence a line"
                                                     : "; --json has what is known about each sentence"));
    }
}

}  // namespace

OutputOptions check_arguments(const TranslateArguments& arguments) {
    if (arguments.html && !reads_html()) {
        html_texts("");  // says why
    }
    if (arguments.output.options.pieces && arguments.replace_unk) {
        throw Error(ExitCode::usage,
                    "--pieces writes the pieces of the vocabulary, which --replace-unk leaves as they are; give one of "
                    "the two");
    }
    const std::vector<std::string>& patterns = arguments.document.kept_patterns;
    if (std::count(patterns.begin(), patterns.end(), "") > 0) {
        throw Error(ExitCode::usage, "--keep: the pattern is empty");
    }
    const SearchConfig asked = arguments.search.asked();
    if ((!arguments.input.phrases.empty() || !arguments.glossary.empty()) && !takes_phrases(asked)) {
        throw Error(ExitCode::usage, std::string(arguments.glossary.empty() ? "--phrases" : "--glossary") +
                                         " cannot be combined with --sample or --diverse-groups");
    }
    if (arguments.repair && asked.sampling) {
        throw Error(ExitCode::usage, "--repair cannot be combined with --sample: what is drawn is not repaired");
    }
    OutputOptions written = arguments.output.resolved(asked.n_best);
    check_files(arguments, written);
    if (!arguments.has_sentences() && !arguments.locale.empty()) {
        throw Error(ExitCode::usage, "--locale is for text in which sentences are found: --split or --format html");
    }
    if (!arguments.has_sentences() && !arguments.document.abbreviations.empty()) {
        throw Error(ExitCode::usage,
                    "--abbreviations is for text in which sentences are found: --split or --format html");
    }
    if (arguments.has_documents()) {
        check_split(arguments, written, asked);
    }
    return written;
}

namespace {

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

}  // namespace

TranslateArguments with_default_spans(const TranslateArguments& arguments, const Ensemble& ensemble) {
    TranslateArguments result = arguments;
    std::optional<bool>& keep_spans = result.document.form.keep_spans;
    if (keep_spans || ensemble.has_features() || count_placeholders(ensemble.source(), ensemble.target()) == 0) {
        return result;
    }
    const SearchConfig asked = arguments.search.asked();
    const char* const excluding = about_lines(arguments, arguments.output.resolved(asked.n_best), asked);
    if (excluding != nullptr) {
        spdlog::warn(
            "{} turns --keep-spans off: numbers, URLs and the like are translated as text, which a model with "
            "placeholders has rarely seen",
            excluding);
    }
    keep_spans = excluding == nullptr;
    return result;
}

void check_models(const TranslateArguments& arguments, const TranslateOptions& options, const Ensemble& ensemble) {
    check_attention(arguments, options, ensemble);
    check_prefixes(arguments, ensemble);
}

void check_features(const TranslateArguments& arguments) {
    const char* const given = arguments.html                ? "--format"
                              : arguments.keeps()           ? "--keep-spans"
                              : !arguments.glossary.empty() ? "--glossary"
                              : arguments.split             ? "--split"
                              : arguments.replace_unk       ? "--replace-unk"
                              : arguments.search.given.count("search.max_source_length") > 0
                                  ? "--max-source-length"
                                  : arguments.search.needing_text();
    if (given != nullptr) {
        throw Error(ExitCode::usage, std::string(given) + " is for models that read text; " + arguments.models.names() +
                                         " reads features");
    }
}

}  // namespace softalign
