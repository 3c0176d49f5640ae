#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/appended_file.h"

namespace softalign {

// metrics.jsonl: one JSON object a line, appended and flushed line by line. On resume the lines of updates that will be
// done again are cut off. A last line that was half written (a crash) is cut off too.
class MetricsLog {
public:
    // Keeps the lines whose "update" is <= keep_until, and lines without one that stand before the first line cut off;
    // keep_until < 0 starts anew. Throws Error(output) with the path.
    MetricsLog(const std::string& path, std::int64_t keep_until);

    // Figures that are not finite are written as null. What there is no room for is warned of, once, and written later.
    void write(const nlohmann::ordered_json& record);

private:
    std::optional<AppendedFile> file_;
    bool kept_back_ = false;
};

}  // namespace softalign
