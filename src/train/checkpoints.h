#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
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

    // The update of the newest whole run saved, or -1.
    std::int64_t newest() const;

    // Saves the run; removes the oldest beyond keep_last, and those of later updates, which this run will do again.
    void save(const RunState& state, const TrainingVectors& vectors, const RunSettings& settings) const;

    // What a run saved at this update was started with. Nothing where the file does not say or cannot be read.
    std::optional<RunSettings> settings(std::int64_t update) const;

    // Removes what is left of a run that is started anew.
    void clear() const;

    // Which saves are good enough to go on from.
    enum class Good { any, before_divergence };

    // Fills the vectors from the newest save that is whole and good enough; warns of those that are damaged. Throws
    // Error(model) when one does not fit the configuration, or when there is none.
    RunState restore(const TrainingVectors& vectors, Good good) const;

    // Writes best-UPDATE.safetensors from `weights`, a vector of the parameters' layout, and for the best of all
    // model.safetensors; removes best files that are not in state.best.
    void save_best(const RunState& state, const FlatParameters& parameters, const at::Tensor& weights, bool is_first,
                   const std::map<std::string, std::string>& metadata) const;

    // model.safetensors from the evaluated weights, for a run that ends before its first validation.
    void save_model(const TrainingVectors& vectors, const std::map<std::string, std::string>& metadata) const;
    bool has_model() const;

private:
    std::vector<std::int64_t> updates_of(const std::string& prefix) const;  // ascending
    void make_folder() const;
    std::string path_of(const std::string& prefix, std::int64_t update) const;

    std::string model_directory_;
    std::string folder_;
    CheckpointConfig config_;
};

}  // namespace softalign
