#include "report/metrics_log.h"

#include <spdlog/spdlog.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "base/atomic_file.h"

namespace softalign {

namespace {

std::string kept_lines(const std::string& path, std::int64_t keep_until) {
    std::ifstream file(path);
    std::string kept;
    std::string line;
    bool cut = false;
    while (std::getline(file, line)) {
        const auto record = nlohmann::json::parse(line, nullptr, false);
        // A line that ends with the file, not with a newline, was not written to its end.
        if (!record.is_object() || file.eof()) {
            cut = true;
            continue;
        }
        const auto update = record.find("update");
        if (update != record.end() && update->is_number()) {
            if (update->get<double>() > static_cast<double>(keep_until)) {
                cut = true;
                continue;
            }
        } else if (cut) {
            continue;
        }
        kept += line + "\n";
    }
    return kept;
}

}  // namespace

MetricsLog::MetricsLog(const std::string& path, std::int64_t keep_until) {
    write_file_atomically(path, keep_until < 0 ? "" : kept_lines(path, keep_until));
    file_.emplace(path);
}

void MetricsLog::write(const nlohmann::ordered_json& record) {
    const bool written =
        file_->write(record.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    if (!written && !kept_back_) {
        spdlog::warn("{}: cannot be written: {}; its lines are kept until they can: free space", file_->path(),
                     file_->reason());
    }
    kept_back_ = !written;
}

}  // namespace softalign
