#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/options.h"
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
    // For n-best lists.
    std::string n_best;
    std::string feature_name = "Rescore";
    std::optional<double> interpolate;
    bool best = false;
};

ScoreOptions score_options(const ScoreArguments& arguments, const Config& config, const at::Device& device);

// The number of pairs that are read, scored and written together.
std::size_t chunk_of(const ScoreOptions& options);

// Runs `score --n-best`: writes the list with the models' log-probabilities, or the best text of each sentence.
int run_rescoring(const ScoreArguments& arguments);

}  // namespace softalign
