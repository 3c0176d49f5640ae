#include "journal/log.h"

#include <spdlog/details/log_msg_buffer.h>
#include <spdlog/details/os.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/strings.h"
#include "journal/progress.h"

namespace softalign {

namespace {

// Messages on standard error, with the status line out of the way; on a terminal the level has a colour. spdlog's own
// sink loses what a non-blocking descriptor does not take at once.
class StandardErrorSink final : public spdlog::sinks::base_sink<std::mutex> {
public:
    StandardErrorSink()
        : colours_(spdlog::details::os::in_terminal(stderr) && spdlog::details::os::is_color_terminal()) {}

protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        spdlog::memory_buf_t formatted;
        formatter_->format(message, formatted);  // finds where the colour begins and ends
        std::string text(formatted.data(), formatted.size());
        if (colours_ && message.color_range_end > message.color_range_start) {
            text.insert(message.color_range_end, "\033[m");
            text.insert(message.color_range_start, colour_of(message.level));
        }
        StatusLine::instance().aside([&text] { write_all(STDERR_FILENO, text.data(), text.size()); });
    }
    void flush_() override {}

private:
    static const char* colour_of(spdlog::level::level_enum level) {
        switch (level) {
            case spdlog::level::debug:
                return "\033[36m";
            case spdlog::level::info:
                return "\033[32m";
            case spdlog::level::warn:
                return "\033[33m\033[1m";
            default:
                return "\033[31m\033[1m";
        }
    }

    const bool colours_;
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

// The message as terminal_text: also of the file, which is read in a terminal.
class PlainMessage final : public spdlog::custom_flag_formatter {
public:
    void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& line) override {
        const std::string text = terminal_text({message.payload.data(), message.payload.size()});
        line.append(text.data(), text.data() + text.size());
    }
    std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<PlainMessage>(); }
};

// Lines of this pattern, in which %* is the message.
std::unique_ptr<spdlog::formatter> lines_of(const std::string& pattern) {
    auto formatter = std::make_unique<spdlog::pattern_formatter>();
    formatter->add_flag<PlainMessage>('*').set_pattern(pattern);
    return formatter;
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
    sink->set_formatter(lines_of("%Y-%m-%d %H:%M:%S.%e %l %*"));
    return sink;
}

// To standard error, and to `more` where there is one.
void log_to(LogLevel level, const spdlog::sink_ptr& more) {
    auto console = std::make_shared<StandardErrorSink>();
    console->set_formatter(lines_of("[%H:%M:%S] %^%l%$ %*"));
    std::vector<spdlog::sink_ptr> sinks = {console};
    if (more) {
        sinks.push_back(more);
    }
    auto logger = std::make_shared<spdlog::logger>("softalign", sinks.begin(), sinks.end());
    logger->set_level(to_spdlog(level));
    logger->flush_on(spdlog::level::trace);
    spdlog::set_default_logger(logger);
    handle_warnings([](const std::string& message) { spdlog::warn("{}", message); });
}

}  // namespace

void set_up_logging(LogLevel level, const std::string& file) {
    log_to(level, file.empty() ? nullptr : file_sink(file));
}

// Holds messages back until it knows where they go; without a place they are dropped.
class RunLog::HeldSink final : public spdlog::sinks::base_sink<std::mutex> {
public:
    void pass_on_to(spdlog::sink_ptr inner) {
        const std::lock_guard<std::mutex> lock(mutex_);
        inner_ = std::move(inner);
        for (const spdlog::details::log_msg_buffer& message : held_) {
            inner_->log(message);
        }
        inner_->flush();
        drop();
    }

    void end_holding() {
        const std::lock_guard<std::mutex> lock(mutex_);
        drop();
    }

private:
    void sink_it_(const spdlog::details::log_msg& message) override {
        if (inner_) {
            inner_->log(message);
        } else if (holds_) {
            held_.emplace_back(message);
        }
    }
    void flush_() override {
        if (inner_) {
            inner_->flush();
        }
    }
    void drop() {
        held_.clear();
        holds_ = false;
    }

    bool holds_ = true;
    std::vector<spdlog::details::log_msg_buffer> held_;
    spdlog::sink_ptr inner_;
};

RunLog::RunLog(LogLevel level) : sink_(std::make_shared<HeldSink>()) {
    log_to(level, sink_);
}

RunLog::~RunLog() {
    sink_->end_holding();
}

void RunLog::open(const std::string& file) {
    sink_->pass_on_to(file_sink(file));
}

}  // namespace softalign
