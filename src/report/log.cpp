#include "report/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "report/status_line.h"

namespace softalign {

namespace {

// Passes everything on, with the status line out of the way.
class AsideSink final : public spdlog::sinks::sink {
public:
    explicit AsideSink(spdlog::sink_ptr inner) : inner_(std::move(inner)) {}

    void log(const spdlog::details::log_msg& message) override {
        StatusLine::instance().aside([this, &message] {
            inner_->log(message);
            inner_->flush();
        });
    }
    void flush() override { inner_->flush(); }
    void set_pattern(const std::string& pattern) override { inner_->set_pattern(pattern); }
    void set_formatter(std::unique_ptr<spdlog::formatter> formatter) override {
        inner_->set_formatter(std::move(formatter));
    }

private:
    spdlog::sink_ptr inner_;
};

spdlog::level::level_enum to_spdlog(LogLevel level) {
    switch (level) {
        case LogLevel::debug:
            return spdlog::level::debug;
        case LogLevel::info:
            return spdlog::level::info;
        case LogLevel::warning:
            return spdlog::level::warn;
        case LogLevel::error:
            return spdlog::level::err;
    }
    return spdlog::level::info;
}

spdlog::sink_ptr file_sink(const std::string& file) {
    // spdlog makes missing directories and words its errors in its own way; ask the system first.
    std::FILE* const probe = std::fopen(file.c_str(), "ab");
    if (probe == nullptr) {
        throw Error(ExitCode::output, file + ": cannot open the log file: " + errno_text(errno) +
                                          "; create its directory or choose one that you may write to");
    }
    std::fclose(probe);
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
    sink->set_pattern("%Y-%m-%d %H:%M:%S.%e %l %v");
    return sink;
}

}  // namespace

void set_up_logging(LogLevel level, const std::string& file) {
    auto console = std::make_shared<AsideSink>(std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    console->set_pattern("[%H:%M:%S] %^%l%$ %v");
    std::vector<spdlog::sink_ptr> sinks = {console};
    if (!file.empty()) {
        sinks.push_back(file_sink(file));
    }
    auto logger = std::make_shared<spdlog::logger>("softalign", sinks.begin(), sinks.end());
    logger->set_level(to_spdlog(level));
    logger->flush_on(spdlog::level::trace);
    spdlog::set_default_logger(logger);
}

}  // namespace softalign
