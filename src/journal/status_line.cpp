#include "journal/progress.h"

#include <unistd.h>

#include <functional>
#include <mutex>
#include <string>

#include "base/files.h"

namespace softalign {

namespace {

// Back to the first column, and clear to the end of the line.
constexpr const char* rewind_and_clear = "\r\033[K";

void put(const std::string& text) {
    write_all(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

StatusLine& StatusLine::instance() {
    // Never destroyed: log lines may come until the very end of the program.
    static auto* const line = new StatusLine;
    return *line;
}

void StatusLine::draw(const std::string& text) {
    const std::lock_guard<std::mutex> lock(mutex_);
    put(rewind_and_clear + text);
    text_ = text;
}

void StatusLine::erase() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!text_.empty()) {
        put(rewind_and_clear);
        text_.clear();
    }
}

void StatusLine::aside(const std::function<void()>& write) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!text_.empty()) {
        put(rewind_and_clear);
    }
    write();
    if (!text_.empty()) {
        put(text_);
    }
}

}  // namespace softalign
