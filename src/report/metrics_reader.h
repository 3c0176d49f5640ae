#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace softalign {

// The contents of metrics.jsonl, and what could not be read.
struct MetricsRecords {
    std::vector<nlohmann::json> records;  // objects, in the order of the file
    std::vector<std::string> problems;    // sentences for the user
};

// Reads what MetricsLog writes. An incomplete last line, left by a killed run, and lines that are not objects are
// skipped and reported in `problems`. Throws Error(data) if the file is missing or cannot be read.
MetricsRecords read_metrics(const std::string& path);

}  // namespace softalign
