#pragma once

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <sstream>
#include <string>

#include "base/error.h"

namespace softalign {

// What is logged while it lives, as "LEVEL MESSAGE" lines.
class CapturedLog {
public:
    CapturedLog() : before_(spdlog::default_logger()) {
        auto logger =
            std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(stream_));
        logger->set_pattern("%l %v");
        logger->set_level(spdlog::level::info);
        spdlog::set_default_logger(logger);
        handle_warnings([](const std::string& message) { spdlog::warn("{}", message); });
    }
    ~CapturedLog() {
        spdlog::set_default_logger(before_);
        handle_warnings(nullptr);
    }
    CapturedLog(const CapturedLog&) = delete;
    CapturedLog& operator=(const CapturedLog&) = delete;

    std::string text() const { return stream_.str(); }

private:
    std::shared_ptr<spdlog::logger> before_;
    std::ostringstream stream_;
};

}  // namespace softalign
