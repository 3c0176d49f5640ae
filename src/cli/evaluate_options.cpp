#include "cli/evaluate_options.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <variant>

#include "cli/options.h"

namespace softalign {

namespace {

constexpr double most_samples = 1000000;

void add_chrf_options(CLI::App& command, ChrfOptions& options) {
    const Allowed orders = between(0, 100);
    add_number(command, "--chrf-char-order", options.character_order, orders,
               "chrF: longest character n-gram (default: 6)");
    add_number(command, "--chrf-word-order", options.word_order, orders,
               "chrF: longest word n-gram; 2 is chrF++ (default: 0)");
    add_number(command, "--chrf-beta", options.beta, between(0, 1000),
               "chrF: how much more recall counts than precision (default: 2)");
    command.add_flag("--chrf-whitespace", options.whitespace, "chrF: count spaces as characters");
    command.add_flag("--chrf-lowercase", options.lowercase, "chrF: compare lower-cased text");
    command.add_flag("--chrf-eps-smoothing", options.epsilon_smoothing,
                     "chrF: count orders without n-grams as a tiny number instead of skipping them");
}

void add_ter_options(CLI::App& command, TerOptions& options) {
    command.add_flag("--ter-normalized", options.normalized, "TER: separate punctuation from words first");
    command.add_flag("--ter-no-punct", options.no_punctuation, "TER: remove punctuation first");
    command.add_flag("--ter-asian-support", options.asian_support,
                     "TER: apply these two to Chinese, Japanese and Korean text as well");
    command.add_flag("--ter-case-sensitive", options.case_sensitive,
                     "TER: compare case (by default text is lower-cased)");
}

void add_test_options(CLI::App& command, EvaluationRequest& request) {
    CLI::Option* const confidence = command.add_flag("--confidence", request.confidence,
                                                     "Confidence interval of a system, by bootstrap resampling");
    const Allowed samples = between(1, most_samples);
    add_number(command, "--confidence-n", request.confidence_samples, samples,
               "Resamples for --confidence (default: 1000)")
        ->needs(confidence);
    CLI::Option* const bootstrap = command.add_flag("--paired-bs", request.paired_bootstrap,
                                                    "Compare systems with the first by paired bootstrap resampling");
    add_number(command, "--paired-bs-n", request.bootstrap_samples, samples,
               "Resamples for --paired-bs (default: 1000)")
        ->needs(bootstrap);
    CLI::Option* const randomisation =
        command.add_flag("--paired-ar", request.paired_randomization,
                         "Compare systems with the first by paired approximate randomisation");
    add_number(command, "--paired-ar-n", request.trials, samples, "Trials for --paired-ar (default: 10000)")
        ->needs(randomisation);
    add_number(command, "--paired-ar-confidence-n", request.trial_confidence_samples, between(0, most_samples),
               "With --paired-ar: resamples for confidence intervals; 0: none (default: 0)")
        ->needs(randomisation);
    add_number(command, "--seed", request.seed, {},
               "Seed of the resamples (default: SACREBLEU_SEED if set, else 12345)");
}

}  // namespace

void add_metric_options(CLI::App& command, EvaluationRequest& request) {
    command.add_option("--metrics", request.metrics, "Any of bleu, chrf, chrf++, ter, cer and wer (default: bleu)")
        ->delimiter(',')
        ->type_name("NAME,NAME,...");
    command
        .add_option("--tokenize", request.tokenize,
                    "BLEU's tokenizer: 13a, intl (or v14), zh, char or none (default: 13a)")
        ->type_name("NAME");
    command.add_flag("--lowercase", request.lowercase, "BLEU: compare lower-cased text");
    command
        .add_option("--smooth-method", request.smooth_method,
                    "BLEU's smoothing: exp, floor, add-k or none (default: exp)")
        ->type_name("NAME");
    add_number(command, "--smooth-value", request.smooth_value, between(0, 1000000),
               "Value for floor (default: 0.1) or add-k (default: 1)");
    command.add_flag("--effective-order", request.effective_order,
                     "BLEU: ignore n-gram orders for which the translations are too short");
    add_chrf_options(command, request.chrf);
    add_ter_options(command, request.ter);
    command.add_flag("--error-rate-lowercase", request.error_rate.lowercase, "CER and WER: compare lower-cased text");
    command.add_flag_callback(
        "--missing-references", [&request] { request.empty_references = EmptyReferences::missing; },
        "Treat an empty line of a reference file as a missing reference");
}

void add_report_options(CLI::App& command, EvaluationRequest& request) {
    command.add_flag("--sentence-level", request.sentence_level, "Print one score per sentence, one per line");
    add_test_options(command, request);
    command
        .add_option("--by", request.breakdowns,
                    "Break scores down by length (of the source or the reference), frequency (of the source's rarest "
                    "word) or words (precision and recall of words by their frequency)")
        ->delimiter(',')
        ->type_name("NAME,NAME,...");
    add_number(command, "--changes", request.changes, between(0, most_samples),
               "Show the sentences that gained most and lost most against the first system, this many of each");
    add_choice(
        command, "--format", {"text", "json"}, [&request](const std::string& format) { request.format = format; },
        "text or json (default: text)")
        ->type_name("FORMAT");
    add_number(command, "--width", request.width, between(0, 17), "Decimals in text output (default: 1)");
    command.add_flag("--quiet", request.quiet, "Print only the numbers");
}

void take_seed_of_environment(const CLI::App& command, EvaluationRequest& request) {
    if (command.get_option("--seed")->count() > 0) {
        return;
    }
    if (const auto seed = environment_value("SACREBLEU_SEED", ValueType::unsigned_integer, {})) {
        request.seed = std::get<std::uint64_t>(*seed);
    }
}

}  // namespace softalign
