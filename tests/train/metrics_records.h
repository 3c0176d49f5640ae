#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace softalign {

// The records of a metrics.jsonl without what another run of the same kind has otherwise: clocks and memory.
inline std::vector<nlohmann::json> metrics_without_clocks(const std::string& path) {
    std::ifstream file(path);
    std::vector<nlohmann::json> records;
    for (std::string line; std::getline(file, line);) {
        nlohmann::json record = nlohmann::json::parse(line);
        for (const char* clock : {"minutes", "seconds", "tokens_per_second", "busy", "peak_memory"}) {
            record.erase(clock);
        }
        records.push_back(record);
    }
    return records;
}

}  // namespace softalign
