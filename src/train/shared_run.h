#pragma once

#include <ATen/ATen.h>

#include "config/config.h"
#include "distributed/group.h"
#include "storage/model_directory.h"
#include "train/flat_parameters.h"
#include "train/run_settings.h"
#include "train/run_state.h"

namespace softalign {

// What the processes of a run tell each other besides gradients and weights. Rank 0 alone reads and writes the run's
// directory.

// The configuration with what rank 0 chooses (train/resolve.h): shards for the workers of all processes.
Config resolve_together(Group& group, const Config& config, bool resume);

// The number of workers of this process. Processes that may use the same processors divide them.
int workers_of_process(const Group& group, const Config& resolved, const at::Device& device);

// Throws Error(configuration) if so many processes cannot share the run: each adds up a whole part of the tree of
// shards, on a device that can exchange tensors with those of the others (Group::use_device()).
void require_shareable(const Config& config, Group& group);

// The vocabularies of rank 0 for all, however long it takes to make them; `mine` is what rank 0 has.
VocabularyFiles share_vocabularies(Group& group, VocabularyFiles mine);

// Throws Error(configuration), naming the rank, its host and what is different, unless all processes have the settings
// and texts of rank 0.
void require_same_settings(Group& group, const RunSettings& mine);

// The state, the weights and the average of rank 0 for all. Each gets its part of the optimiser's state from
// Learner::scatter_state().
void share_run(Group& group, RunState& state, const TrainingVectors& vectors);

// What all processes go by when they decide whether to stop.
struct Clock {
    bool signal = false;   // a process has received a signal that asks for a stop
    double minutes = 0.0;  // of rank 0
};
Clock agree_on_clock(Group& group, const Clock& mine);

}  // namespace softalign
