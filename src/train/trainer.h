#pragma once

#include <string>

#include "config/config.h"
#include "train/run_state.h"
#include "train/stop.h"

namespace softalign {

struct TrainingResult {
    StopReason reason = StopReason::max_epochs;
    RunState state;
    bool is_first = true;  // the process that reports for all
};

// Trains in config.checkpoints.directory. With resume = true, continues from the newest checkpoint there, if any;
// otherwise refuses a directory that already holds a run, so that nothing is overwritten. If the start fails for any
// reason, the directory is left as it was. Where a launcher started several processes (launch_environment.h), all of
// them call this and train one model together: the same bytes as one process. Only the first one reads and writes the
// directory.
// Throws Error: configuration, data, model, output, numerical, processes; the same in all processes, whichever it
// happened in.
TrainingResult train(const Config& config, bool resume);

// Describes what `train` would do, as text: the model and its parameters, batches and tokens, and the measured memory
// of one update on the costliest batch. Writes only to a temporary directory, which it removes.
std::string dry_run(const Config& config);

}  // namespace softalign
