#include "train/stop_signal.h"

#include <atomic>
#include <csignal>

namespace softalign {

namespace {

// The system chooses the thread that handles a signal.
std::atomic<int> received_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "a handler may touch nothing else");

void on_signal(int number) {
    received_signal = number;
    // The next one takes its usual course and ends the process.
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
}

}  // namespace

StopSignal::StopSignal() {
    received_signal = 0;
    interrupt_before_ = std::signal(SIGINT, on_signal);
    termination_before_ = std::signal(SIGTERM, on_signal);
}

StopSignal::~StopSignal() {
    std::signal(SIGINT, interrupt_before_);
    std::signal(SIGTERM, termination_before_);
}

int StopSignal::received() const {
    return received_signal;
}

}  // namespace softalign
