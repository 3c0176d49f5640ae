#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace softalign {

// What metrics.jsonl says, and what could not be read of it.
struct MetricsRecords {
    std::vector<nlohmann::json> records;  // objects, in the order of the file
    std::vector<std::string> problems;    // sentences for people
};

// Reads what MetricsLog writes. A last line that a run was killed in the middle of, and lines that are no objects, are
// left out and told. Throws Error(data) where the file is missing or cannot be read.
MetricsRecords read_metrics(const std::string& path);

}  // namespace softalign
