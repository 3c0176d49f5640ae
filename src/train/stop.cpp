#include "train/stop.h"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

namespace softalign {

std::string describe(StopReason reason, const Config& config) {
    switch (reason) {
        case StopReason::max_epochs:
            return "training.max_epochs (" + std::to_string(config.training.max_epochs) + ") reached";
        case StopReason::max_updates:
            return "training.max_updates (" + std::to_string(config.training.max_updates) + ") reached";
        case StopReason::max_minutes:
            return "training.max_minutes reached";
        case StopReason::patience:
            return "no gain in " + std::to_string(config.validation.patience) + " validations (validation.patience)";
        case StopReason::signal:
            break;
    }
    return "stopped by a signal";
}

std::optional<StopReason> limit_reached(const Config& config, const RunState& state, double minutes) {
    const TrainingConfig& training = config.training;
    if (training.max_epochs > 0 && state.epoch >= training.max_epochs) {
        return StopReason::max_epochs;
    }
    if (training.max_updates > 0 && state.update >= training.max_updates) {
        return StopReason::max_updates;
    }
    if (training.max_minutes > 0.0 && minutes >= training.max_minutes) {
        return StopReason::max_minutes;
    }
    const bool validates = !config.data.valid_source.empty();
    if (validates && config.validation.patience > 0 && state.validations_without_gain >= config.validation.patience) {
        return StopReason::patience;
    }
    return std::nullopt;
}

namespace {

// The system chooses the thread that handles a signal.
std::atomic<int> received_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "a handler may touch nothing else");

using Handler = void (*)(int);

// How the signals end the process.
std::atomic<Handler> interrupt_ending{SIG_DFL};
std::atomic<Handler> termination_ending{SIG_DFL};

std::atomic<std::int64_t> received_at{0};  // milliseconds of the monotonic clock

std::int64_t monotonic_milliseconds() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{1000} * now.tv_sec + now.tv_nsec / 1000000;
}

// The second signal takes its usual course and ends the process, unless it comes with the first: who stops a group of
// processes reaches some of them twice, by their launcher and directly.
void on_signal(int number) {
    constexpr std::int64_t together = 1000;
    const std::int64_t now = monotonic_milliseconds();
    if (received_signal == 0) {
        received_signal = number;
        received_at = now;
    } else if (now - received_at > together) {
        std::signal(number, number == SIGINT ? interrupt_ending : termination_ending);
        ::raise(number);  // comes when this handler has returned
    }
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
