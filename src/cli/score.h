#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "cli/options.h"
#include "config/config.h"
#include "distributed/group.h"
#include "distributed/process_helpers.h"
#include "translate/ensemble.h"
#include "translate/scorer.h"

namespace softalign {

struct ScoreArguments {
    ModelOptions models;
    std::string source;
    std::string target;
    std::string output = "-";
    GivenKeys given;  // search.batch_size
    MachineOptions machine;
    bool tokens = false;
    bool quiet = false;
    DistributedConfig distributed;
    // For n-best lists.
    std::string n_best;
    std::string feature_name = "Rescore";
    std::optional<double> interpolate;
    bool best = false;
};

// `helpers`: of rank 0 of several processes that share the work; else null.
ScoreOptions score_options(const ScoreArguments& arguments, const Config& config, const LoadedEnsemble& loaded,
                           const Group& group, ProcessHelpers* helpers = nullptr);

// What puts placeholders into a pair, as in training; null for models without them.
std::function<void(std::string& source, std::string& target)> rewriting_of(const Ensemble& ensemble);

// The number of pairs that are read, scored and written together.
std::size_t chunk_of(const ScoreOptions& options);

// Runs `score --n-best`: writes the list with the models' log-probabilities, or the best text of each sentence.
int run_rescoring(const ScoreArguments& arguments, const Group& group, ProcessHelpers* helpers);

}  // namespace softalign
