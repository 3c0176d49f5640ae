#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "html/report.h"
#include "journal/metrics_log.h"

namespace softalign {

// "15 550 784", with narrow no-break spaces.
inline std::string grouped(std::int64_t value) {
    std::string digits = std::to_string(value);
    const std::size_t first = digits[0] == '-' ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3;) {
        at -= 3;
        digits.insert(at, "\u202F");
    }
    return digits;
}

// "chrF2", with its signature.
struct LoggedScore {
    std::string metric;
    double score = 0.0;
    std::string signature;
};

// A validation as logged; what the log lacks stays empty.
struct LoggedValidation {
    double update = 0.0;
    std::optional<double> epoch;
    std::optional<double> cross_entropy;
    std::optional<double> perplexity;
    std::vector<LoggedScore> scores;  // BLEU, chrF2, chrF2++, TER, CER, WER: those that exist, in this order
    bool best = false;
};

// The contents of a run's metrics.jsonl.
struct RunHistory {
    TrainingCurves curves;  // ascending in updates; a null is a gap
    std::vector<LoggedValidation> validations;
    double updates = 0.0;  // the last one seen
    double epochs = 0.0;
    double minutes = 0.0;
    std::vector<std::string> problems;

    // The validation of the model that was kept: the last one logged as the best so far. nullptr if there is none.
    const LoggedValidation* best() const;
    // Target pieces per second over the whole run; 0 if the log does not say.
    double mean_speed() const;
};

// Skips records of other kinds; also those without an update number, which are reported as a problem.
RunHistory run_history(const MetricsRecords& metrics);

}  // namespace softalign
