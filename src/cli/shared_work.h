#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/precision.h"
#include "cli/options.h"
#include "config/config.h"
#include "distributed/group.h"
#include "distributed/process_helpers.h"
#include "translate/ensemble.h"

namespace softalign {

// Adds --rendezvous, --interface and --timeout, for commands that several processes share. REQUIRES: `options` outlives
// the parsing of the command line.
void add_distributed_options(CLI::App& command, DistributedConfig& options);

// A command of which rank 0 reads the input, deals out batches, and writes the output, while other processes, if a
// launcher has started some, help it.
struct SharedWork {
    std::string command;
    // Of rank 0; `helpers` is null where there are no others. It calls ProcessHelpers::require_same, and dismiss() when
    // there is no more for them to do.
    std::function<int(Group& group, ProcessHelpers* helpers)> lead;
    std::function<Help(Group& group)> help;
};

// Does this process's part; its exit status. Throws like Group and the work.
int share_work(const DistributedConfig& config, const SharedWork& work);

// Dismisses the helpers, if there are any. Call it before closing the output, so that what is wrong with them is known
// before an output is there.
void dismiss(ProcessHelpers* helpers);

// What the results of a command depend on, for ProcessHelpers::require_same: the models by checksum, and the settings.
nlohmann::ordered_json settings_of(const ModelOptions& models, const LoadedEnsemble& loaded, Precision precision,
                                   const SearchConfig& search);

// The checksum of a file of any kind. Throws Error(data).
std::string checksum_of(const std::string& path);

}  // namespace softalign
