#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "config/config.h"
#include "data/batch_stream.h"
#include "distributed/group.h"
#include "platform/worker_pool.h"
#include "train/flat_parameters.h"
#include "train/gradient_step.h"
#include "train/run_data.h"
#include "train/schedule.h"

namespace softalign {

// Takes the batches of one update from `next`: `accumulate` of them, or fewer at the end of an epoch.
std::vector<BatchStream::Item> take_batches(std::int64_t accumulate, const std::function<BatchStream::Item()>& next);

// What an update is, wherever one is made: batches whose gradients are added, each with noise of its own, then a step
// of the optimiser at the schedule's rate.
class Learner {
public:
    // REQUIRES: config, vectors, pool and group outlive this (GradientStep has more).
    Learner(const Config& config, const RunData& data, TrainingVectors& vectors, WorkerPool& pool,
            Group& group = one_process());

    // Makes an update of its batches. `update`, from 1, is its number; `applied`, from 1, its number among those that
    // changed the weights.
    UpdateSums update(const std::vector<BatchStream::Item>& batches, std::int64_t update, std::int64_t applied);

    // GradientStep's.
    void share_average() { step_.share_average(); }
    void gather_state() { step_.gather_state(); }
    void scatter_state() { step_.scatter_state(); }

    Schedule& schedule() { return schedule_; }
    const GradientStep& step() const { return step_; }

private:
    const Config& config_;
    Schedule schedule_;
    GradientStep step_;
};

}  // namespace softalign
