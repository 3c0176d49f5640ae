#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/appended_file.h"

namespace softalign {

// The last records that a run has: those of training up to one update, of validation up to another. A run that was
// killed during the validation after its last update has saved the update and not the validation.
struct LastRecords {
    std::int64_t update = 0;
    std::int64_t validation = 0;
};

// metrics.jsonl: one JSON object a line, appended and flushed line by line.
class MetricsLog {
public:
    // Opens the file at its end. Throws Error(output) with the path.
    explicit MetricsLog(const std::string& path);

    // Cuts the file off before the first record of what will be done again, and a last line that was half written (a
    // crash). Records without an "update" before that stay. Needs no room.
    void keep(const LastRecords& last);

    // Writes numbers that are not finite as null. If the disk is full, warns once and writes the record later.
    void write(const nlohmann::ordered_json& record);

    // Waits until all records are on the disk; warns where they cannot be.
    void sync();

private:
    void tell(bool written);

    AppendedFile file_;
    bool kept_back_ = false;
};

// The contents of metrics.jsonl, and what could not be read.
struct MetricsRecords {
    std::vector<nlohmann::json> records;  // objects, in the order of the file
    std::vector<std::string> problems;    // sentences for the user
};

// Reads what MetricsLog writes. An incomplete last line, left by a killed run, and lines that are not objects are
// skipped and reported in `problems`. Throws Error(data) if the file is missing or cannot be read.
MetricsRecords read_metrics(const std::string& path);

}  // namespace softalign
