#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "distributed/group.h"
#include "model/seq2seq.h"
#include "storage/safetensors.h"
#include "train/checkpoints.h"
#include "train/flat_parameters.h"
#include "train/run_state.h"
#include "train/validator.h"

namespace softalign {

// The mean of the weights of several models, which a run tries at its end (checkpoints.average): of the best, whose
// files are there in any case, or of those of the last validations, which are kept for it. A model that does not fit on
// the disk stays in memory until it does, so that a full disk changes no mean.
class MeanOfModels {
public:
    // REQUIRES: all outlive it.
    MeanOfModels(const Config& config, const Checkpoints& checkpoints, const FlatParameters& parameters);

    // What a validation has scored, by rank 0. `weights`: [P].
    void keep(std::int64_t update, const at::Tensor& weights, const std::map<std::string, std::string>& metadata);

    // Tries again to write what is waiting. Returns whether everything is written.
    bool write();
    bool waits() const { return !waiting_.empty(); }

    // Forgets the models of later updates, which the run will repeat.
    void go_on_from(std::int64_t update);

    // Validates the mean, with every process of the group, and makes it the model if it is not worse than the best one;
    // says so in the log. Where it is worse and a mean that an earlier end of the run has kept is the model, the best
    // model becomes it again. Leaves `model` with other weights. Throws Error(model), Error(output).
    void try_it(const RunState& state, Seq2Seq& model, const Validator& validator, Group& group) const;

private:
    bool keeps_last() const;
    void bring_back(const BestCheckpoint& best, Seq2Seq& model, const Validator& validator, Group& group) const;
    void share(const TensorFile& file, Seq2Seq& model, Group& group) const;
    void write_model(const TensorFile& file, const ValidationResult& result) const;

    struct Waiting {
        std::int64_t update = 0;
        at::Tensor weights;  // [P]
        std::map<std::string, std::string> metadata;
    };

    const Config& config_;
    const Checkpoints& checkpoints_;
    const FlatParameters& parameters_;
    std::vector<Waiting> waiting_;
};

}  // namespace softalign
