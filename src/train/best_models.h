#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "train/checkpoints.h"
#include "train/flat_parameters.h"
#include "train/run_state.h"

namespace softalign {

// Puts a validation into its place among the best: best first, at most `most` of them, one an update (a run that went
// back may validate an update twice: the better one stays), none with a score that is NaN. Whether it is among them.
bool add_to_best(std::vector<BestCheckpoint>& best, Metric metric, const BestCheckpoint& validation, std::int64_t most);

// What is to be kept of a validation that is among the best.
struct BestCandidate {
    std::int64_t update = 0;
    at::Tensor weights;  // [P] as they were validated; a view of the run's own may be given
    std::map<std::string, std::string> metadata;
    std::vector<std::string> translations;
};

// The models of the best validations on the disk: best-UPDATE.safetensors of each, model.safetensors and
// validation.best.txt of the best of all. Those that find no room are kept in memory until they do, so that a full disk
// costs no model.
class BestModels {
public:
    // REQUIRES: both outlive it.
    BestModels(const Checkpoints& checkpoints, const FlatParameters& parameters, std::string directory);

    // Writes it, or keeps it and tells why. REQUIRES: it is in `best`, the list as it is now.
    void keep(BestCandidate candidate, const std::vector<BestCheckpoint>& best);

    // Tries again what is waiting. Whether nothing is left to be written.
    bool write();

    bool waits() const { return !waiting_.empty(); }

private:
    bool is_listed(const BestCandidate& candidate) const;
    void write_one(const BestCandidate& candidate) const;

    const Checkpoints& checkpoints_;
    const FlatParameters& parameters_;
    std::string directory_;
    std::vector<BestCheckpoint> best_;    // when the last candidate came
    std::vector<BestCandidate> waiting_;  // in the order of their validations
};

}  // namespace softalign
