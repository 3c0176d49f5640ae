#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/counted.h"
#include "base/error.h"
#include "base/strings.h"
#include "metrics/evaluation.h"

namespace softalign {

namespace {

// sacreBLEU's order, and what it does not have.
const std::vector<std::string>& metric_names() {
    static const std::vector<std::string> names{"bleu", "chrf", "chrf++", "ter", "cer", "wer"};
    return names;
}

const std::vector<std::string>& breakdown_names() {
    static const std::vector<std::string> names{"length", "frequency", "words"};
    return names;
}

constexpr std::int64_t most_digits = 17;
constexpr std::int64_t highest_order = 100;
constexpr std::int64_t most_samples = 1000000;

bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

void require_name(const std::string& option, const std::string& what, const std::string& name,
                  const std::vector<std::string>& names) {
    if (!has(names, name)) {
        throw Error(ExitCode::usage, option + ": unknown " + what + " '" + name + "'; there is: " + join(names));
    }
}

void require(bool condition, const std::string& message) {
    if (!condition) {
        throw Error(ExitCode::usage, message);
    }
}

void require_between(const std::string& option, std::int64_t value, std::int64_t least, std::int64_t most) {
    require(value >= least && value <= most, option + " is " + std::to_string(value) + "; it goes from " +
                                                 std::to_string(least) + " to " + std::to_string(most));
}

void check_smooth_value(const EvaluationRequest& request) {
    if (!request.smooth_value) {
        return;
    }
    require(request.smooth_method == "floor" || request.smooth_method == "add-k",
            "--smooth-value has no use with --smooth-method " + request.smooth_method +
                "; leave it out, or choose floor or add-k");
    require(*request.smooth_value >= 0.0 && !std::isinf(*request.smooth_value),
            "--smooth-value must be a number that is not negative");
}

void check_chrf(const ChrfOptions& options) {
    require_between("--chrf-char-order", options.character_order, 0, highest_order);
    require_between("--chrf-word-order", options.word_order, 0, highest_order);
    require_between("--chrf-beta", options.beta, 0, 1000);
    require(options.character_order + options.word_order > 0,
            "chrF needs n-grams: --chrf-char-order or --chrf-word-order has to be more than 0");
}

void check_tests(const EvaluationRequest& request) {
    const bool paired = request.paired_bootstrap || request.paired_randomization;
    require(!(request.paired_bootstrap && request.paired_randomization),
            "--paired-bs and --paired-ar are two tests; choose one");
    require(!(paired && request.confidence),
            "--confidence is for one system; --paired-bs gives the intervals of several, and so does --paired-ar with "
            "--paired-ar-confidence-n");
    require(!(request.sentence_level && (paired || request.confidence)),
            "single sentences have no significance tests; leave out --sentence-level");
    require_between("--confidence-n", request.confidence_samples, 1, most_samples);
    require_between("--paired-bs-n", request.bootstrap_samples, 1, most_samples);
    require_between("--paired-ar-n", request.trials, 1, most_samples);
    require_between("--paired-ar-confidence-n", request.trial_confidence_samples, 0, most_samples);
}

void check_output(const EvaluationRequest& request) {
    require_name("--format", "format", request.format, {"text", "json"});
    require_between("--width", request.width, 0, most_digits);
    require(!(request.quiet && request.format == "json"), "--quiet prints only the number; remove --format json");
    const bool parts = !request.breakdowns.empty() || request.changes > 0;
    require(!(parts && request.quiet), "--quiet prints only the number; remove --by and --changes");
    require(!(parts && request.sentence_level), "--by and --changes look at all sentences; leave out --sentence-level");
    require_between("--changes", request.changes, 0, most_samples);
    for (const std::string& name : request.breakdowns) {
        require_name("--by", "breakdown", name, breakdown_names());
    }
}

std::string line_count(const NamedLines& file) {
    return file.name + " has " + counted(file.lines.size(), "line");
}

}  // namespace

void check_request(const EvaluationRequest& request) {
    require(!request.metrics.empty(), "--metrics names no metric; allowed are: " + join(metric_names()));
    for (const std::string& metric : request.metrics) {
        require_name("--metrics", "metric", metric, metric_names());
    }
    if (!find_bleu_tokenizer(request.tokenize)) {
        require_name("--tokenize", "tokenizer", request.tokenize, bleu_tokenizer_names());
    }
    require_name("--smooth-method", "smoothing method", request.smooth_method, bleu_smoothing_names());
    check_smooth_value(request);
    check_chrf(request.chrf);
    check_tests(request);
    check_output(request);
}

BleuOptions bleu_options(const EvaluationRequest& request) {
    BleuOptions options;
    options.tokenizer = *find_bleu_tokenizer(request.tokenize);
    options.smoothing = *find_bleu_smoothing(request.smooth_method);
    options.smooth_value = request.smooth_value.value_or(options.smooth_value);
    options.lowercase = request.lowercase;
    options.effective_order = request.effective_order;
    return options;
}

std::vector<std::unique_ptr<TextMetric>> make_metrics(const EvaluationRequest& request) {
    std::vector<std::unique_ptr<TextMetric>> metrics;
    for (const std::string& name : metric_names()) {
        if (!has(request.metrics, name)) {
            continue;
        }
        if (name == "bleu") {
            metrics.push_back(make_bleu(bleu_options(request)));
        } else if (name == "ter") {
            metrics.push_back(make_ter(request.ter));
        } else if (name == "cer" || name == "wer") {
            const ErrorUnit unit = name == "cer" ? ErrorUnit::character : ErrorUnit::word;
            metrics.push_back(make_error_rate(unit, request.error_rate));
        } else {
            ChrfOptions options = request.chrf;
            options.word_order = name == "chrf++" ? 2 : options.word_order;
            metrics.push_back(make_chrf(options));
        }
    }
    return metrics;
}

void check_line_counts(const NamedLines& text, const std::vector<NamedLines>& references) {
    if (text.lines.empty()) {
        throw Error(ExitCode::data, text.name + " is empty: there is nothing to score");
    }
    for (const NamedLines& reference : references) {
        if (reference.lines.size() != text.lines.size()) {
            throw Error(ExitCode::data, line_count(text) + ", but " + line_count(reference) +
                                            "; a reference needs one line for each line that is scored");
        }
    }
}

void check_texts(const EvaluationTexts& texts, const EvaluationRequest& request) {
    const std::size_t systems = texts.systems.size();
    const bool paired = request.paired_bootstrap || request.paired_randomization;
    require(systems > 1 || !paired, "a paired test compares systems: give two or more files to --hypotheses");
    require(systems > 1 || request.changes == 0,
            "--changes compares systems: give two or more files to --hypotheses, the baseline first");
    require(systems == 1 || !request.confidence,
            "--confidence is for one system; for several take --paired-bs, which gives their intervals too");
    require(systems == 1 || !request.sentence_level, "--sentence-level is for one system");
    const bool by_frequency = has(request.breakdowns, "frequency");
    require(!by_frequency || (texts.source && texts.training_source),
            "--by frequency needs the source and the text that the model was trained on: --source FILE and "
            "--training-source FILE");
    require(!by_frequency || texts.source_is_text, "--by frequency counts words of the source, and features have none");
    require(!has(request.breakdowns, "words") || texts.training_target,
            "--by words needs the text that the model was trained on: --training-target FILE");
    for (const NamedLines& system : texts.systems) {
        check_line_counts(system, texts.references);
        if (texts.source && texts.source->lines.size() != system.lines.size()) {
            throw Error(ExitCode::data, line_count(system) + ", but " + line_count(*texts.source) +
                                            "; the source needs one line for each line that is scored");
        }
    }
}

std::string tokenized_text_warning(const EvaluationTexts& texts, const EvaluationRequest& request) {
    constexpr std::ptrdiff_t suspicious = 100;  // as sacreBLEU
    if (!has(request.metrics, "bleu") || request.tokenize == "none") {
        return "";
    }
    for (const NamedLines& system : texts.systems) {
        const auto count = std::count_if(system.lines.begin(), system.lines.end(),
                                         [](const std::string& line) { return ends_with(line, " ."); });
        if (count >= suspicious) {
            return system.name + ": " + std::to_string(count) +
                   " lines end with a separate period, so the text looks tokenised. BLEU is meant for detokenised "
                   "text: undo the tokenisation, or use --tokenize none to compare it only with text tokenised in the "
                   "same way (--force suppresses this warning)";
        }
    }
    return "";
}

}  // namespace softalign
