#pragma once

#include <string>

#include "config/config.h"
#include "train/run_state.h"
#include "train/stop_reason.h"

namespace softalign {

struct TrainingResult {
    StopReason reason = StopReason::max_epochs;
    RunState state;
};

// The run in config.checkpoints.directory. With resume = true it goes on from the newest checkpoint there, if any;
// otherwise a directory that holds a run already is refused, so that nothing is overwritten. Whatever makes a start
// fail, the directory is left as it was.
// Throws Error: configuration, data, model, output, numerical.
TrainingResult train(const Config& config, bool resume);

// What `train` would do: the model and its parameters, batches and tokens, the memory that one update of the costliest
// batch needs as measured; as text. Writes nothing outside a temporary directory that it removes.
std::string dry_run(const Config& config);

}  // namespace softalign
