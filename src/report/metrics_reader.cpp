#include "report/metrics_reader.h"

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace softalign {

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
