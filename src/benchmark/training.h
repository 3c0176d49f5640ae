#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benchmark/measure.h"
#include "config/config.h"
#include "model/part.h"
#include "train/run_data.h"

namespace softalign {

struct TrainingPlan {
    std::int64_t updates = 40;  // timed
    std::int64_t warmup = 5;    // untimed, before each measurement
    std::int64_t rounds = 3;
    std::vector<int> workers;
};

// The work of the timed updates of a measurement; the same for all measurements.
struct TrainingWork {
    std::int64_t sentences = 0;
    std::int64_t source_tokens = 0;  // end-of-sentence counted
    std::int64_t target_tokens = 0;
    std::int64_t source_cells = 0;  // positions of the workers' rectangles, padding counted
    std::int64_t target_cells = 0;
    std::vector<PartWork> rectangles;       // products of these rectangles
    std::vector<PartWork> sentences_alone;  // and of the same sentences without padding

    double source_padding() const;  // share of the positions
    double target_padding() const;
};

// Shares of the time of all timed updates: of wall-clock time, and within `shards` of the workers' time.
struct TrainingShares {
    double data = 0.0;  // waiting for a batch
    double shards = 0.0;
    double reduction = 0.0;
    double update = 0.0;
    double rest = 0.0;
    double forward = 0.0;  // of shards
    double backward = 0.0;
    double idle = 0.0;  // workers that have no shard left
};

struct TrainingMeasurement {
    int workers = 1;
    Samples seconds_per_update;  // the mean of each round
    Samples tokens_per_second;
    Samples speed_up;  // relative to the first number of workers in the same round
    TrainingShares shares;
};

struct TrainingResults {
    TrainingPlan plan;
    std::int64_t parameters = 0;
    TrainingWork work;
    std::vector<TrainingMeasurement> measurements;  // by workers, as the plan has them
    std::int64_t bad_updates = 0;                   // whose gradient was not finite
    std::uint64_t peak_memory = 0;                  // peak resident memory of the process at the end, in bytes
};

// Trains `model` (initialised, on the CPU) on the first batches of the first epoch, for each number of workers in each
// round, and measures the machine's peak before, between and after the rounds. Logs each measurement.
TrainingResults measure_training(const Config& config, const RunData& data, Seq2Seq& model, const TrainingPlan& plan,
                                 Peaks& peaks);

}  // namespace softalign
