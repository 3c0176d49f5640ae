#pragma once

#include <functional>
#include <mutex>
#include <string>

namespace softalign {

// The line at the bottom of the terminal that is redrawn in place (on stderr). Code that writes to stderr while it may
// be visible uses `aside`, which removes and redraws it. Thread-safe.
class StatusLine {
public:
    static StatusLine& instance();

    // Replaces the line with `text`. REQUIRES: stderr is a terminal, and `text` is not wider than it.
    void draw(const std::string& text);
    void erase();
    // Calls `write` while the line is removed.
    void aside(const std::function<void()>& write);

private:
    StatusLine() = default;

    std::mutex mutex_;
    std::string text_;  // empty = nothing drawn
};

}  // namespace softalign
