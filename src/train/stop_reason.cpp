#include "train/stop_reason.h"

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

}  // namespace softalign
