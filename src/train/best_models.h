#pragma once

#include <ATen/ATen.h>
#include <spdlog/spdlog.h>

#include <cstdint>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "train/checkpoints.h"
#include "train/flat_parameters.h"
#include "train/run_state.h"

namespace softalign {

// Inserts a validation into the list of the best, best first: at most `most`, one per update (a run that went back may
// validate an update twice: the better one stays), none with a NaN score. Returns whether it is in the list.
bool add_to_best(std::vector<BestCheckpoint>& best, Metric metric, const BestCheckpoint& validation, std::int64_t most);

// Writes the translations of the best model, as lines, to validation.best.txt in the model directory.
void write_best_translations(const std::string& directory, const std::vector<std::string>& translations);

// What to keep of a validation that is among the best.
struct BestCandidate {
    std::int64_t update = 0;
    at::Tensor weights;  // [P] as validated; may be a view of the run's own
    std::map<std::string, std::string> metadata;
    std::vector<std::string> translations;
};

// Writes the models that wait for room on the disk, the first one first, until one does not fit, which the log says.
// Returns whether none is left.
template <typename Model, typename Write>
bool write_waiting(std::vector<Model>& waiting, const Write& write) {
    try {
        while (!waiting.empty()) {
            write(waiting.front());
            waiting.erase(waiting.begin());
        }
    } catch (const std::exception& error) {
        spdlog::error("{}; the model is kept in memory, and written before the next checkpoint is", error.what());
        return false;
    }
    return true;
}

// Stores the models of the best validations on disk: best-UPDATE.safetensors for each, model.safetensors and
// validation.best.txt for the best of all. Models that do not fit on the disk stay in memory until they do, so that a
// full disk loses no model.
class BestModels {
public:
    // REQUIRES: both outlive it.
    BestModels(const Checkpoints& checkpoints, const FlatParameters& parameters, std::string directory);

    // Writes the candidate, or keeps it in memory and says why. REQUIRES: it is in `best`, the current list.
    void keep(BestCandidate candidate, const std::vector<BestCheckpoint>& best);

    // Tries again to write what is waiting. Returns whether everything is written.
    bool write();

    bool waits() const { return !waiting_.empty(); }

private:
    bool is_listed(const BestCandidate& candidate) const;
    void write_one(const BestCandidate& candidate) const;

    const Checkpoints& checkpoints_;
    const FlatParameters& parameters_;
    std::string directory_;
    std::vector<BestCheckpoint> best_;    // the list when the last candidate came
    std::vector<BestCandidate> waiting_;  // in the order of their validations
};

}  // namespace softalign
