#include "journal/metrics_log.h"

#include <spdlog/spdlog.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/strings.h"

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

namespace {

std::ifstream opened(const std::string& path) {
    std::error_code fault;
    const std::filesystem::file_status status = std::filesystem::status(path, fault);
    if (std::filesystem::is_directory(status)) {
        throw Error(ExitCode::data, path + ": a directory, not a file of records");
    }
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        throw Error(ExitCode::data, path + ": a pipe or a device, not a file of records");
    }
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw Error(ExitCode::data, path + ": cannot be read: " + errno_text(errno));
    }
    return file;
}

}  // namespace

MetricsRecords read_metrics(const std::string& path) {
    std::ifstream file = opened(path);
    MetricsRecords result;
    std::size_t damaged = 0;
    std::size_t first_damaged = 0;
    std::size_t number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        if (line.empty()) {
            continue;
        }
        auto record = nlohmann::json::parse(line, nullptr, false);
        if (record.is_object()) {
            result.records.push_back(std::move(record));
        } else if (file.eof()) {
            result.problems.push_back("metrics.jsonl: the last line (" + std::to_string(number) +
                                      ") is incomplete, as after a run was killed; it is ignored");
        } else {
            first_damaged = damaged++ == 0 ? number : first_damaged;
        }
    }
    if (file.bad()) {
        throw Error(ExitCode::data, path + ": cannot be read to its end");
    }
    if (damaged > 0) {
        result.problems.push_back("metrics.jsonl: " + std::to_string(damaged) +
                                  (damaged == 1 ? " line is not a record" : " lines are not records") +
                                  " (the first is line " + std::to_string(first_damaged) + ") and ignored");
    }
    return result;
}

}  // namespace softalign
