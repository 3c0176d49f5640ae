#include "cli/evaluate_options.h"

#include <CLI/CLI.hpp>

namespace softalign {

namespace {

void add_chrf_options(CLI::App& command, ChrfOptions& options) {
    command.add_option("--chrf-char-order", options.character_order, "chrF: longest n-gram of characters (default 6)");
    command.add_option("--chrf-word-order", options.word_order,
                       "chrF: longest n-gram of words; 2 is chrF++ (default 0)");
    command.add_option("--chrf-beta", options.beta, "chrF: how much more recall counts than precision (default 2)");
    command.add_flag("--chrf-whitespace", options.whitespace, "chrF: spaces are characters too");
    command.add_flag("--chrf-lowercase", options.lowercase, "chrF: compare lower-cased text");
    command.add_flag("--chrf-eps-smoothing", options.epsilon_smoothing,
                     "chrF: orders without n-grams count as a tiny number instead of not at all");
}

void add_ter_options(CLI::App& command, TerOptions& options) {
    command.add_flag("--ter-normalized", options.normalized, "TER: separate punctuation from words first");
    command.add_flag("--ter-no-punct", options.no_punctuation, "TER: remove punctuation first");
    command.add_flag("--ter-asian-support", options.asian_support,
                     "TER: the two above for Chinese, Japanese and Korean text too");
    command.add_flag("--ter-case-sensitive", options.case_sensitive, "TER: capitals are other letters");
}

void add_test_options(CLI::App& command, EvaluationRequest& request) {
    command.add_flag("--confidence", request.confidence, "Confidence interval of a system, by bootstrap resampling");
    command.add_option("--confidence-n", request.confidence_samples, "Resamples for --confidence (default 1000)");
    command.add_flag("--paired-bs", request.paired_bootstrap,
                     "Compare systems with the first by paired bootstrap resampling");
    command.add_option("--paired-bs-n", request.bootstrap_samples, "Resamples for --paired-bs (default 1000)");
    command.add_flag("--paired-ar", request.paired_randomization,
                     "Compare systems with the first by paired approximate randomisation");
    command.add_option("--paired-ar-n", request.trials, "Trials for --paired-ar (default 10000)");
    command.add_option("--paired-ar-confidence-n", request.trial_confidence_samples,
                       "With --paired-ar, confidence intervals by so many resamples too (default 0: none)");
    command
        .add_option("--seed", request.seed,
                    "Seed of the resamples (default 12345, or SACREBLEU_SEED where that is set)")
        ->envname("SACREBLEU_SEED");
}

}  // namespace

void add_metric_options(CLI::App& command, EvaluationRequest& request) {
    command.add_option("--metrics", request.metrics, "Any of bleu, chrf, chrf++ and ter (default bleu)")
        ->delimiter(',');
    command.add_option("--tokenize", request.tokenize,
                       "BLEU's tokenizer: 13a, intl (or v14), zh, char or none (default 13a)");
    command.add_flag("--lowercase", request.lowercase, "BLEU: compare lower-cased text");
    command.add_option("--smooth-method", request.smooth_method,
                       "BLEU's smoothing: exp, floor, add-k or none (default exp)");
    command.add_option("--smooth-value", request.smooth_value,
                       "The value that floor (default 0.1) or add-k (default 1) smooths with");
    command.add_flag("--effective-order", request.effective_order,
                     "BLEU: leave out n-grams that are longer than all translations");
    add_chrf_options(command, request.chrf);
    add_ter_options(command, request.ter);
    command.add_flag_callback(
        "--missing-references", [&request] { request.empty_references = EmptyReferences::missing; },
        "An empty line of a reference file is a reference that does not exist");
}

void add_report_options(CLI::App& command, EvaluationRequest& request) {
    command.add_flag("--sentence-level", request.sentence_level, "A score for each sentence, one a line");
    add_test_options(command, request);
    command
        .add_option(
            "--by", request.breakdowns,
            "Scores in parts: length (of the source or the reference), frequency (of the source's rarest word), "
            "words (precision and recall of words by their frequency)")
        ->delimiter(',');
    command.add_option("--changes", request.changes,
                       "Show so many sentences that gained, and that lost, most against the first system");
    command.add_option("--format", request.format, "text or json (default text)");
    command.add_option("--width", request.width, "Digits behind the point in text (default 1)");
    command.add_flag("--quiet", request.quiet, "Print the numbers alone");
}

}  // namespace softalign
