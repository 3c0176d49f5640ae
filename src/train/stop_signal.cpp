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

// The handler before, which is how the signal ends the process unless it is ours. A signal that is ignored stays so:
// who starts a run in the background, or with nohup, wants it.
Handler take(int number, std::atomic<Handler>& ending) {
    struct sigaction current {};
    ::sigaction(number, nullptr, &current);
    const bool ignored = current.sa_handler == SIG_IGN;
    const Handler before = ignored ? SIG_IGN : std::signal(number, on_signal);
    if (before != on_signal) {
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
