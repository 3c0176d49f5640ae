#pragma once

#include <functional>
#include <mutex>
#include <string>

namespace softalign {

// The one line at the bottom of the terminal that is redrawn in place (on stderr). All that writes to stderr while it
// may stand goes through `aside`, which takes the line away and puts it back. Safe from several threads.
class StatusLine {
public:
    static StatusLine& instance();

    // Draws `text` over what stood there. REQUIRES: no wider than the terminal, stderr is one.
    void draw(const std::string& text);
    void erase();
    // Calls `write` with the line away.
    void aside(const std::function<void()>& write);

private:
    StatusLine() = default;

    std::mutex mutex_;
    std::string text_;  // empty = nothing drawn
};

}  // namespace softalign
