#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "html/report.h"
#include "report/metrics_reader.h"

namespace softalign {

// "chrF2", as sacreBLEU computes it, with its signature.
struct LoggedScore {
    std::string metric;
    double score = 0.0;
    std::string signature;
};

// A validation, as the log has it; what it does not have stays empty.
struct LoggedValidation {
    double update = 0.0;
    std::optional<double> epoch;
    std::optional<double> cross_entropy;
    std::optional<double> perplexity;
    std::vector<LoggedScore> scores;  // BLEU, chrF2, chrF2++, TER: those that there are, in this order
    bool best = false;
};

// What a run's metrics.jsonl says of it.
struct RunLog {
    TrainingCurves curves;  // ascending in updates; a null is a gap
    std::vector<LoggedValidation> validations;
    double updates = 0.0;  // the last one seen
    double epochs = 0.0;
    double minutes = 0.0;
    std::vector<std::string> problems;

    // The validation that the kept model is of: the last one said to be the best so far. nullptr without one.
    const LoggedValidation* best() const;
    // Target pieces a second over the whole run; 0 where the log does not say.
    double mean_speed() const;
};

// Records of other kinds are left out; so are, with a problem, those without the number of an update.
RunLog run_log(const MetricsRecords& metrics);

}  // namespace softalign
