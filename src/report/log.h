#pragma once

#include <memory>
#include <string>

#include "config/config.h"

namespace softalign {

// spdlog's default logger: stderr (coloured on a terminal, short) and, where `file` is not empty, the file too (with
// dates; appended). Use spdlog::info and its like everywhere else; what is logged while a progress bar stands appears
// above it. Throws Error(output) where the file cannot be opened. May be called again to add the file.
void set_up_logging(LogLevel level, const std::string& file = "");

// The log of a run, whose file is not touched before it is known that the run can start: sets up logging, and holds
// back for the file what is logged until open().
class RunLog {
public:
    explicit RunLog(LogLevel level);
    ~RunLog();
    RunLog(const RunLog&) = delete;
    RunLog& operator=(const RunLog&) = delete;

    // Appends what was held back, and from now on everything, also after this object is gone. Throws Error(output)
    // where the file cannot be opened.
    void open(const std::string& file);

private:
    class HeldSink;
    std::shared_ptr<HeldSink> sink_;
};

}  // namespace softalign
