#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "metrics/bleu.h"
#include "metrics/statistics.h"
#include "metrics/text_metric.h"

namespace softalign {

// The options of an evaluation, as on the command line.
struct EvaluationRequest {
    std::vector<std::string> metrics = {"bleu"};
    std::string tokenize = "13a";
    std::string smooth_method = "exp";
    std::optional<double> smooth_value;  // floor and add-k only
    bool lowercase = false;
    bool effective_order = false;
    ChrfOptions chrf;
    TerOptions ter;
    ErrorRateOptions error_rate;
    EmptyReferences empty_references = EmptyReferences::count;

    bool sentence_level = false;
    std::string format = "text";  // or json
    std::int64_t width = 1;       // decimals
    bool quiet = false;           // numbers only

    std::uint64_t seed = 12345;
    bool confidence = false;  // of a single system
    std::int64_t confidence_samples = 1000;
    bool paired_bootstrap = false;
    std::int64_t bootstrap_samples = 1000;
    bool paired_randomization = false;
    std::int64_t trials = 10000;
    std::int64_t trial_confidence_samples = 0;  // 0 = no confidence intervals beside randomisation

    std::vector<std::string> breakdowns;  // length, frequency, words
    std::int64_t changes = 0;             // number of most improved and most worsened sentences to show
};

// The lines of a file, and its name for messages.
struct NamedLines {
    std::string name;
    std::vector<std::string> lines;
};

// The texts of an evaluation. Only systems and references are required.
struct EvaluationTexts {
    std::vector<NamedLines> systems;  // the first is the baseline of comparisons
    std::vector<NamedLines> references;
    std::optional<NamedLines> source;
    std::optional<NamedLines> training_source;
    std::optional<NamedLines> training_target;
    bool source_is_text = true;  // else the lines of `source` are names of arrays
};

// Throws Error(usage) for an unknown metric, tokenizer, smoothing, breakdown or format, listing the known ones, for
// values out of range, and for contradictory options.
void check_request(const EvaluationRequest& request);
// REQUIRES: check_request passes.
BleuOptions bleu_options(const EvaluationRequest& request);
// In sacreBLEU's order, then CER and WER, whatever order they were asked for in. REQUIRES: check_request passes.
std::vector<std::unique_ptr<TextMetric>> make_metrics(const EvaluationRequest& request);

// Throws Error(data) if `text` has no lines, or if a reference has a different number of lines, with both names and
// counts. `text` is the scored text, or the source that it is translated from.
void check_line_counts(const NamedLines& text, const std::vector<NamedLines>& references);

// Throws Error(usage) if the request needs another number of systems, or a text that is missing.
void check_texts(const EvaluationTexts& texts, const EvaluationRequest& request);

// A warning if the texts look tokenised, which makes their scores meaningless; else empty.
std::string tokenized_text_warning(const EvaluationTexts& texts, const EvaluationRequest& request);

// Scores the systems and gives the report as it is to be printed, without the last line end. White space at the ends of
// lines does not count. Throws as those above.
std::string evaluate(EvaluationTexts texts, const EvaluationRequest& request);

// An evaluation with its statistics computed.
struct ScoredTexts {
    const EvaluationRequest& request;
    const EvaluationTexts& texts;  // but for the references, which are in the streams
    const std::vector<std::vector<std::string>>& streams;
    const ReferenceSet& references;
    const std::vector<std::unique_ptr<TextMetric>>& metrics;
    const std::vector<std::vector<Statistics>>& statistics;  // by metric and system
};

// The requested breakdowns and changes as text, without the last line end.
std::string evaluation_parts(const ScoredTexts& scored);
// The same under "breakdowns" and "changes" of the report.
void add_evaluation_parts(const ScoredTexts& scored, nlohmann::ordered_json& report);

}  // namespace softalign
