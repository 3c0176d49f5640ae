#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "storage/safetensors.h"
#include "train/flat_parameters.h"
#include "train/run_settings.h"
#include "train/run_state.h"

namespace softalign {

// The files in DIR/checkpoints: last-UPDATE.safetensors holds a whole run (weights, average, optimiser, RunState,
// RunSettings), best-UPDATE.safetensors only the evaluated weights; DIR/model.safetensors is the best of those.
// recent-UPDATE.safetensors has those of the last validations, where their mean is wanted (checkpoints.average_of).
class Checkpoints {
public:
    Checkpoints(const std::string& model_directory, const CheckpointConfig& config);

    const std::string& folder() const { return folder_; }

    // The update of the newest saved run, or -1.
    std::int64_t newest() const;

    // What is saved of a run; the tensors are views of `vectors`.
    static TensorFile contents(const RunState& state, const TrainingVectors& vectors, const RunSettings& settings);

    // Where the run after this update is saved.
    std::string path_of_run(std::int64_t update) const;

    // Saves the run and removes obsolete saves: of later updates, which this run will repeat; of updates that left the
    // weights unchanged, except this one; of the others the oldest beyond keep_last. One save with earlier weights than
    // the present ones always stays: weights are known to be good only once an update from them was finite.
    void save(const RunState& state, const TrainingVectors& vectors, const RunSettings& settings) const;

    // The settings that the run saved at this update was started with; nothing if the file lacks them or is unreadable.
    std::optional<RunSettings> settings(std::int64_t update) const;

    // Removes what an earlier run left, for a run that starts from the beginning.
    void clear() const;

    static constexpr std::int64_t any_update = std::numeric_limits<std::int64_t>::max();

    // Restores the vectors from the newest intact save of an update below `limit`, and warns of damaged ones. Throws
    // Error(model) if one does not fit the configuration, or if there is none.
    RunState restore(const TrainingVectors& vectors, std::int64_t limit) const;

    // Removes the saves of `update` and later, for a run that must continue from before it; with `scheduled_only` also
    // those that are damaged or because of a signal, so that it continues as if no signal had come. If no other save is
    // left, does nothing and returns false.
    bool remove_from(std::int64_t update, bool scheduled_only) const;

    // Writes best-UPDATE.safetensors, and model.safetensors if this is the best of all (is_first).
    void save_best(const TensorFile& model, std::int64_t update, bool is_first) const;

    // Removes the best-UPDATE.safetensors that are not in the list.
    void remove_best_but(const std::vector<BestCheckpoint>& best) const;

    // Writes recent-UPDATE.safetensors, and removes all but the latest checkpoints.average of them.
    void save_recent(const TensorFile& model, std::int64_t update) const;
    void remove_older_recent() const;
    // Removes those of later updates, which this run will repeat.
    void remove_recent_after(std::int64_t update) const;

    // The files whose mean is tried at the end of a run (checkpoints.average), of which `best` are the best.
    std::vector<std::string> to_average(const std::vector<BestCheckpoint>& best) const;

    // Whether model.safetensors is the mean of several models, and the best single one.
    bool model_is_mean() const;
    TensorFile read_best(std::int64_t update) const;

    // Writes model.safetensors.
    void save_model(const TensorFile& model) const;
    // Writes model.safetensors from the evaluated weights, for a run that ends before its first validation.
    void save_model(const TrainingVectors& vectors, const std::map<std::string, std::string>& metadata) const;
    bool has_model() const;

private:
    std::vector<std::int64_t> updates_of(const std::string& prefix) const;  // ascending
    std::optional<bool> is_of_signal(std::int64_t update) const;            // nothing where it cannot be read
    void make_folder() const;
    void remove(const std::string& prefix, std::int64_t update) const;
    std::string path_of(const std::string& prefix, std::int64_t update) const;

    std::string model_directory_;
    std::string folder_;
    CheckpointConfig config_;
};

}  // namespace softalign
