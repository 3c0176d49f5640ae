#include "report/metrics_log.h"

#include <spdlog/spdlog.h>

#include <cstddef>
#include <string>

#include "base/json_text.h"

namespace softalign {

namespace {

bool will_be_written_again(const nlohmann::json& record, const LastRecords& last) {
    const auto update = record.find("update");
    if (update == record.end() || !update->is_number()) {
        return false;
    }
    const bool validation = record.value("type", nlohmann::json()) == "validation";
    return update->get<double>() > static_cast<double>(validation ? last.validation : last.update);
}

// Where what is kept ends.
std::size_t end_of_kept(const std::string& content, const LastRecords& last) {
    std::size_t kept = 0;
    std::size_t begin = 0;
    for (std::size_t end = content.find('\n'); end != std::string::npos; end = content.find('\n', begin)) {
        const auto record = nlohmann::json::parse(content.begin() + static_cast<std::ptrdiff_t>(begin),
                                                  content.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
        begin = end + 1;
        if (!record.is_object()) {
            continue;  // cut off where no whole record follows
        }
        if (will_be_written_again(record, last)) {
            break;
        }
        kept = begin;
    }
    return kept;
}

}  // namespace

MetricsLog::MetricsLog(const std::string& path) : file_(path) {}

void MetricsLog::keep(const LastRecords& last) {
    file_.cut(end_of_kept(file_.content(), last));
}

void MetricsLog::write(const nlohmann::ordered_json& record) {
    tell(file_.write(json_text(record) + "\n"));
}

void MetricsLog::sync() {
    tell(file_.sync());
}

void MetricsLog::tell(bool written) {
    if (!written && !kept_back_) {
        spdlog::warn("{}: cannot be written: {}; its lines are kept until they can: free space", file_.path(),
                     file_.reason());
    }
    kept_back_ = !written;
}

}  // namespace softalign
