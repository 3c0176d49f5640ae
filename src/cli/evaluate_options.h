#pragma once

#include "metrics/evaluation.h"

namespace CLI {
class App;
}

namespace softalign {

// Both REQUIRE: `request` outlives the parsing of the command line.

// Which metrics, and how each is computed.
void add_metric_options(CLI::App& command, EvaluationRequest& request);
// Significance tests, breakdowns, and the form of the report.
void add_report_options(CLI::App& command, EvaluationRequest& request);

// Where --seed was not given, the seed is that of SACREBLEU_SEED if set. Throws Error(usage) for a bad one.
// REQUIRES: the command line is parsed.
void take_seed_of_environment(const CLI::App& command, EvaluationRequest& request);

}  // namespace softalign
