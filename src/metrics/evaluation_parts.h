#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "metrics/evaluation.h"
#include "metrics/statistics.h"

namespace softalign {

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
