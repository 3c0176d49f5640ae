#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/statistics.h"
#include "metrics/ter.h"
#include "metrics/text_metric.h"

namespace softalign {

// What a person asks of an evaluation, in the words of the command line.
struct EvaluationRequest {
    std::vector<std::string> metrics = {"bleu"};
    std::string tokenize = "13a";
    std::string smooth_method = "exp";
    std::optional<double> smooth_value;  // floor and add-k only
    bool lowercase = false;
    bool effective_order = false;
    ChrfOptions chrf;
    TerOptions ter;
    EmptyReferences empty_references = EmptyReferences::count;

    bool sentence_level = false;
    std::string format = "text";  // or json
    std::int64_t width = 1;       // digits behind the point
    bool quiet = false;           // numbers alone

    std::uint64_t seed = 12345;
    bool confidence = false;  // of a single system
    std::int64_t confidence_samples = 1000;
    bool paired_bootstrap = false;
    std::int64_t bootstrap_samples = 1000;
    bool paired_randomization = false;
    std::int64_t trials = 10000;
    std::int64_t trial_confidence_samples = 0;  // 0 = no confidence intervals beside randomisation

    std::vector<std::string> breakdowns;  // length, frequency, words
    std::int64_t changes = 0;             // how many sentences that gained and lost most to show
};

// The lines of a file, under the name that messages give it.
struct NamedLines {
    std::string name;
    std::vector<std::string> lines;
};

// What is compared. All but systems and references may be left out.
struct EvaluationTexts {
    std::vector<NamedLines> systems;  // the first is the baseline of comparisons
    std::vector<NamedLines> references;
    std::optional<NamedLines> source;
    std::optional<NamedLines> training_source;
    std::optional<NamedLines> training_target;
};

// Throws Error(usage) for a metric, tokenizer, smoothing, breakdown or format that does not exist, naming those that
// do, for values out of range, and for options that contradict each other.
void check_request(const EvaluationRequest& request);
// REQUIRES: check_request passes.
BleuOptions bleu_options(const EvaluationRequest& request);
// In sacreBLEU's order, whatever order they were asked for in. REQUIRES: check_request passes.
std::vector<std::unique_ptr<TextMetric>> make_metrics(const EvaluationRequest& request);

// Throws Error(data) where the text has no line, or where a reference has another number of lines than the text: both
// names and counts. The text is what is scored, or the source it is translated from.
void check_line_counts(const NamedLines& text, const std::vector<NamedLines>& references);

// Throws Error(usage) where the request is one for another number of systems, or for a text that is missing.
void check_texts(const EvaluationTexts& texts, const EvaluationRequest& request);

// What should be said about the texts before their scores are believed; empty if nothing.
std::string tokenized_text_warning(const EvaluationTexts& texts, const EvaluationRequest& request);

// Scores the systems and gives the report as it is to be printed, without the last line end. White space at the ends of
// lines does not count. Throws as those above.
std::string evaluate(EvaluationTexts texts, const EvaluationRequest& request);

}  // namespace softalign
