#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/config.h"
#include "train/run_state.h"

namespace softalign {

enum class StopReason { max_epochs, max_updates, max_minutes, patience, signal };

// "training.max_epochs (20) reached".
std::string describe(StopReason reason, const Config& config);

// The limit of the configuration that a run has reached, if any; `minutes` is its wall-clock time so far.
std::optional<StopReason> limit_reached(const Config& config, const RunState& state, double minutes);

// While it lives, SIGINT and SIGTERM request a stop; a second one ends the process as it would have before. One that is
// ignored stays ignored.
class StopSignal {
public:
    StopSignal();
    ~StopSignal();
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;

    // The number of the signal received, or 0.
    int received() const;

private:
    using Handler = void (*)(int);
    Handler interrupt_before_;  // restored at the end
    Handler termination_before_;
};

}  // namespace softalign
