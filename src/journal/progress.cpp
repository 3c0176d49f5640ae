#include "journal/progress.h"

#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace softalign {

namespace {

bool stderr_is_terminal() {
    const char* const kind = std::getenv("TERM");
    return ::isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

// Asked anew at every draw: windows are resized.
int terminal_width() {
    winsize size{};
    constexpr int usual_width = 80;
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual_width;
}

std::int64_t now_ns() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace

Progress::Progress(std::int64_t every) : terminal_(stderr_is_terminal()), every_(every) {}

Progress::~Progress() {
    clear();
}

void Progress::show(const ProgressState& state) {
    if (!terminal_) {
        if (every_ > 0 && state.update % every_ == 0 && state.update != last_update_) {
            last_update_ = state.update;
            spdlog::info("{}", progress_plain_line(state));
        }
        return;
    }
    constexpr std::int64_t shortest_pause_ns = 100'000'000;
    const std::int64_t now = now_ns();
    if (last_drawn_ns_ != 0 && now - last_drawn_ns_ < shortest_pause_ns) {
        return;
    }
    last_drawn_ns_ = now;
    // The last column stays free: a full line would wrap.
    StatusLine::instance().draw(progress_bar_line(state, terminal_width() - 1));
}

void Progress::clear() {
    if (terminal_) {
        StatusLine::instance().erase();
        last_drawn_ns_ = 0;
    }
}

}  // namespace softalign
