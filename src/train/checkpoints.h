#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "storage/safetensors.h"
#include "train/flat_parameters.h"
#include "train/optimizer.h"
#include "train/run_settings.h"
#include "train/run_state.h"

namespace softalign {

// The vectors of a run.
struct TrainingVectors {
    const FlatParameters& parameters;
    const Optimizer& optimizer;
    at::Tensor average;  // undefined without EMA

    // What is validated, translated with and kept: the average where there is one, else the weights.
    const at::Tensor& evaluated() const { return average.defined() ? average : parameters.values(); }
};

// The files below DIR/checkpoints: last-UPDATE.safetensors hold a whole run (weights, average, optimiser, RunState,
// RunSettings), best-UPDATE.safetensors the evaluated weights alone; DIR/model.safetensors is the best of them.
class Checkpoints {
public:
    Checkpoints(const std::string& model_directory, const CheckpointConfig& config);

    const std::string& folder() const { return folder_; }

    // The update of the newest whole run saved, or -1.
    std::int64_t newest() const;

    // Saves the run and removes what it makes superfluous: saves of later updates, which this run will do again; of
    // updates that left the weights alone, all but this one; of the others the oldest beyond keep_last. One save of
    // earlier weights than those of now always stays: weights are known to be good when an update of them was finite.
    void save(const RunState& state, const TrainingVectors& vectors, const RunSettings& settings) const;

    // What a run saved at this update was started with. Nothing where the file does not say or cannot be read.
    std::optional<RunSettings> settings(std::int64_t update) const;

    // Removes what is left of a run that is started anew.
    void clear() const;

    static constexpr std::int64_t any_update = std::numeric_limits<std::int64_t>::max();

    // Fills the vectors from the newest save of an update below `limit` that is whole; warns of those that are damaged.
    // Throws Error(model) when one does not fit the configuration, or when there is none.
    RunState restore(const TrainingVectors& vectors, std::int64_t limit) const;

    // Removes the saves of `update` and later, for a run that has to go on from before it. False, and nothing is done,
    // where there is none from before.
    bool remove_from(std::int64_t update) const;

    // Writes best-UPDATE.safetensors, and for the best of all model.safetensors.
    void save_best(const TensorFile& model, std::int64_t update, bool is_first) const;

    // Removes the best-UPDATE.safetensors that are not in the list.
    void remove_best_but(const std::vector<BestCheckpoint>& best) const;

    // model.safetensors from the evaluated weights, for a run that ends before its first validation.
    void save_model(const TrainingVectors& vectors, const std::map<std::string, std::string>& metadata) const;
    bool has_model() const;

private:
    std::vector<std::int64_t> updates_of(const std::string& prefix) const;  // ascending
    void make_folder() const;
    void remove(const std::string& prefix, std::int64_t update) const;
    std::string path_of(const std::string& prefix, std::int64_t update) const;

    std::string model_directory_;
    std::string folder_;
    CheckpointConfig config_;
};

}  // namespace softalign
