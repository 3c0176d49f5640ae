#include "train/stop_signal.h"

#include <atomic>
#include <csignal>

namespace softalign {

namespace {

// The system chooses the thread that handles a signal.
std::atomic<int> received_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "a handler may touch nothing else");

using Handler = void (*)(int);

// How the signals end the process.
std::atomic<Handler> interrupt_ending{SIG_DFL};
std::atomic<Handler> termination_ending{SIG_DFL};

void on_signal(int number) {
    received_signal = number;
    // The next one takes its usual course and ends the process.
    std::signal(SIGINT, interrupt_ending);
    std::signal(SIGTERM, termination_ending);
}

// The handler before. One that neither ignores the signal nor is ours is how it ends the process.
Handler take(int number, std::atomic<Handler>& ending) {
    const Handler before = std::signal(number, on_signal);
    if (before != SIG_IGN && before != on_signal) {
        ending = before;
    }
    return before;
}

}  // namespace

StopSignal::StopSignal() {
    received_signal = 0;
    interrupt_before_ = take(SIGINT, interrupt_ending);
    termination_before_ = take(SIGTERM, termination_ending);
}

StopSignal::~StopSignal() {
    std::signal(SIGINT, interrupt_before_);
    std::signal(SIGTERM, termination_before_);
}

int StopSignal::received() const {
    return received_signal;
}

}  // namespace softalign
