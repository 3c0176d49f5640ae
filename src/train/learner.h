#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "config/config.h"
#include "data/batch_stream.h"
#include "model/seq2seq.h"
#include "platform/worker_pool.h"
#include "train/flat_parameters.h"
#include "train/gradient_step.h"
#include "train/schedule.h"

namespace softalign {

using NextBatch = std::function<BatchStream::Item()>;
using UseBatch = std::function<void(const Batch&, std::int64_t part)>;

// Takes the batches of one update from `next`, `accumulate` of them or fewer at the end of an epoch, and gives each to
// `use` before it takes the next one. `part` counts from 0. Returns them.
std::vector<BatchStream::Item> take_batches(std::int64_t accumulate, const NextBatch& next, const UseBatch& use);

// What an update is, wherever one is made: batches whose gradients are added, each with noise of its own, then a step
// of the optimiser at the schedule's rate.
class Learner {
public:
    // REQUIRES: config, vectors and pool outlive this.
    Learner(const Config& config, const VocabularySizes& sizes, TrainingVectors& vectors, const SpecialIdPair& special,
            WorkerPool& pool);

    // Adds the gradient of a batch to those of the update of this number, from 1. `part`, from 0, is the batch's place
    // in it.
    void add(const Batch& batch, std::int64_t update, std::int64_t part);

    // Adds the batches of an update (take_batches).
    std::vector<BatchStream::Item> add_batches(std::int64_t update, const NextBatch& next);

    // Changes the vectors. `epoch`, from 0, is that of the update's first batch; `applied`, from 1, the number of this
    // update among those that changed the weights.
    UpdateSums apply(std::int64_t update, std::int64_t epoch, std::int64_t applied);

    Schedule& schedule() { return schedule_; }
    const GradientStep& step() const { return step_; }

private:
    const Config& config_;
    Schedule schedule_;
    GradientStep step_;
};

}  // namespace softalign
