#include "serve/server_statistics.h"

#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <string>

namespace softalign {

namespace {

std::string head(const std::string& name, const std::string& type, const std::string& help) {
    return fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

// Bytes in memory; 0 where the system does not tell.
std::int64_t resident_bytes() {
    std::ifstream statm("/proc/self/statm");
    std::int64_t pages = 0;
    statm >> pages >> pages;
    return statm ? pages * ::sysconf(_SC_PAGESIZE) : 0;
}

}  // namespace

template <std::size_t N>
void ServerStatistics::Histogram<N>::add(double value) {
    ++counts[static_cast<std::size_t>(std::lower_bound(bounds.begin(), bounds.end(), value) - bounds.begin())];
    sum += value;
}

template <std::size_t N>
std::string ServerStatistics::Histogram<N>::text(const std::string& name) const {
    std::string lines;
    std::uint64_t total = 0;
    for (std::size_t i = 0; i <= N; ++i) {
        total += counts[i];
        lines += fmt::format("{}_bucket{{le=\"{}\"}} {}\n", name, i < N ? fmt::format("{}", bounds[i]) : "+Inf", total);
    }
    return lines + fmt::format("{}_sum {}\n{}_count {}\n", name, sum, name, total);
}

void ServerStatistics::count_response(const std::string& path, int status, double seconds) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++responses_[{path, status}];
    seconds_.add(seconds);
}

void ServerStatistics::count_accepted(std::size_t sentences) {
    const std::lock_guard<std::mutex> lock(mutex_);
    accepted_ += sentences;
}

void ServerStatistics::count_translated(std::size_t sentences, std::size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    sentences_ += sentences;
    bytes_ += bytes;
}

void ServerStatistics::count_batch(std::size_t sentences) {
    const std::lock_guard<std::mutex> lock(mutex_);
    batches_.add(static_cast<double>(sentences));
}

void ServerStatistics::count_reload(bool worked) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++reloads_[worked];
}

std::string ServerStatistics::text(std::size_t waiting) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::string text = head("softalign_responses_total", "counter", "Responses, by path and status.");
    for (const auto& [of, count] : responses_) {
        text += fmt::format("softalign_responses_total{{path=\"{}\",status=\"{}\"}} {}\n", of.first, of.second, count);
    }
    text += head("softalign_response_seconds", "histogram", "Time from the arrival of a request to its response.") +
            seconds_.text("softalign_response_seconds");
    text += head("softalign_accepted_sentences_total", "counter", "Sentences taken to be translated.") +
            fmt::format("softalign_accepted_sentences_total {}\n", accepted_);
    text += head("softalign_translated_sentences_total", "counter", "Sentences translated.") +
            fmt::format("softalign_translated_sentences_total {}\n", sentences_);
    text += head("softalign_translated_bytes_total", "counter", "Bytes of source text of sentences translated.") +
            fmt::format("softalign_translated_bytes_total {}\n", bytes_);
    text += head("softalign_batch_sentences", "histogram", "Sentences that were translated together.") +
            batches_.text("softalign_batch_sentences");
    text += head("softalign_waiting_sentences", "gauge", "Sentences that wait to be translated.") +
            fmt::format("softalign_waiting_sentences {}\n", waiting);
    text += head("softalign_reloads_total", "counter", "Reloads of the models, by result.");
    for (const auto& [worked, count] : reloads_) {
        text += fmt::format("softalign_reloads_total{{result=\"{}\"}} {}\n", worked ? "success" : "failure", count);
    }
    text += head("process_resident_memory_bytes", "gauge", "Resident memory.") +
            fmt::format("process_resident_memory_bytes {}\n", resident_bytes());
    return text;
}

}  // namespace softalign
