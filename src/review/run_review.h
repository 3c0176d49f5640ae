#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/config.h"
#include "html/report.h"
#include "review/sentences.h"

namespace softalign {

struct ReviewOptions {
    std::int64_t sentences = 2000;       // of the text that are translated, at most; 0 = none
    std::string source;                  // a text to translate instead of the validation text; empty = that
    std::string references;              // its translation; may be empty
    std::optional<DeviceChoice> device;  // else the configuration's
    std::optional<std::int64_t> workers;
    std::optional<Precision> precision;
};

// A run looked back at. What cannot be had (no log, no model, no text) is among the problems of `run`.
struct RunReview {
    ReportRun run;
    std::optional<Config> config;
    ReviewText text;  // as far as it was translated
    std::optional<RunTranslations> translations;
};

// Throws Error(model) where `directory` is no model directory at all: neither config.yaml nor metrics.jsonl in it.
void require_run(const std::string& directory);

// Throws as require_run, and Error(data) where a text that the options name cannot be read or has another number of
// lines than its references.
RunReview review_run(const std::string& directory, const ReviewOptions& options);

// How validation measures BLEU.
BleuOptions bleu_options_of(const ValidationConfig& config);

// The name that the directory of a run has, whatever path leads there.
std::string run_name(const std::string& directory);

}  // namespace softalign
