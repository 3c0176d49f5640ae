#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "config/config.h"
#include "html/report.h"
#include "report/sentences.h"
#include "storage/model_directory.h"

namespace softalign {

struct ReviewOptions {
    std::int64_t sentences = 2000;       // maximum number of sentences to translate; 0 = none
    std::string source;                  // the text to translate; empty = the validation text
    std::string references;              // its reference translation; may be empty
    std::optional<DeviceChoice> device;  // default: the configuration's
    std::optional<std::int64_t> workers;
    std::optional<Precision> precision;
    std::size_t picture_bytes = std::size_t{256} << 20;  // kept of the attention of all runs together, about
};

// The review of a run. What is missing (log, model or text) is listed among the problems of `run`.
struct RunReview {
    ReportRun run;
    std::optional<Config> config;
    ReviewText text;  // the part that was translated
    std::optional<RunTranslations> translations;
};

// Throws Error(model) if `directory` is not a model directory: it has neither config.yaml nor metrics.jsonl.
void require_run(const std::string& directory);

// Throws like require_run, and Error(data) if a text that the options name cannot be read or does not have the same
// number of lines as its references.
RunReview review_run(const std::string& directory, const ReviewOptions& options);

// How validation measures BLEU.
BleuOptions bleu_options_of(const ValidationConfig& config);

// The name of a run's directory, whatever path leads there.
std::string run_name(const std::string& directory);

// A report of one run, or of several side by side. Their translations are shown together if they are of the same text;
// a run that translated another text says so among its problems. Throws like review_run.
Report review_runs(const std::vector<std::string>& directories, const ReviewOptions& options);

// The report as an HTML file. Throws Error(output).
void write_report(const Report& report, const std::string& path, AtomicFile::Link link = AtomicFile::Link::followed);

// The vocabularies themselves: size, longest pieces. One entry if both sides share one.
std::vector<ReportVocabulary> vocabularies_of(const Tokenizers& tokenizers);

// How a vocabulary segments a text: words, pieces per word, unknown pieces, the words split into the most pieces.
ReportVocabulary text_figures(const std::string& name, const Tokenizer& tokenizer,
                              const std::vector<std::string>& lines);

}  // namespace softalign
