#pragma once

#include <ATen/ATen.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "train/checkpoints.h"
#include "train/flat_parameters.h"
#include "train/run_state.h"

namespace softalign {

// What is to be kept of a validation that is among the best.
struct BestCandidate {
    RunState state;
    at::Tensor weights;     // [P] as they were validated; a view of the run's own may be given
    bool is_first = false;  // the best of all, not only one of the keep_best
    std::map<std::string, std::string> metadata;
    std::vector<std::string> translations;
};

// The best models on the disk. One that finds no room there is kept in memory until it does, so that a full disk costs
// no model.
class BestModel {
public:
    // REQUIRES: both outlive it.
    BestModel(Checkpoints& checkpoints, const FlatParameters& parameters, std::string directory);

    // Writes it, or keeps it and tells why.
    void keep(BestCandidate best);

    // Tries again what is waiting. Whether nothing is left to be written.
    bool write();

    bool waits() const { return waiting_.has_value(); }

private:
    Checkpoints& checkpoints_;
    const FlatParameters& parameters_;
    std::string directory_;
    std::optional<BestCandidate> waiting_;
};

}  // namespace softalign
