#pragma once

#include <memory>
#include <string>

#include "config/config.h"

namespace softalign {

// Sets up spdlog's default logger: it writes to stderr (short, coloured on a terminal) and, if `file` is not empty,
// appends to the file (with dates). Use spdlog::info etc. everywhere else, but warn() of base/ in what libsoftalign.so
// consists of; from now on it is logged. Messages appear above the progress bar if there is one, and what a terminal
// would obey is spelled out (base/strings.h). May be called again to add the file. Throws Error(output) if the
// file cannot be opened.
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
