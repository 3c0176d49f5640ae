#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benchmark/peaks.h"
#include "benchmark/products.h"
#include "benchmark/samples.h"
#include "config/config.h"
#include "train/run_data.h"

namespace softalign {

struct TrainingPlan {
    std::int64_t updates = 40;  // that are timed
    std::int64_t warmup = 5;    // before them, of every measurement
    std::int64_t rounds = 3;
    std::vector<int> workers;
};

// What the timed updates of a measurement consist of; the same in all of them.
struct TrainingWork {
    std::int64_t sentences = 0;
    std::int64_t source_tokens = 0;  // end-of-sentence counted
    std::int64_t target_tokens = 0;
    std::int64_t source_cells = 0;  // places of the rectangles that the workers get, padding counted
    std::int64_t target_cells = 0;
    std::vector<PartWork> rectangles;       // products of these rectangles
    std::vector<PartWork> sentences_alone;  // and of the same sentences without padding

    double source_padding() const;  // share of the places
    double target_padding() const;
};

// Shares of the time of all timed updates: of the wall clock, and within `shards` of the workers' time.
struct TrainingShares {
    double data = 0.0;  // waiting for a batch
    double shards = 0.0;
    double reduction = 0.0;
    double update = 0.0;
    double rest = 0.0;
    double forward = 0.0;  // of shards
    double backward = 0.0;
    double idle = 0.0;  // workers that have no shard any more
};

struct TrainingMeasurement {
    int workers = 1;
    Samples seconds_per_update;  // of a round: the mean
    Samples tokens_per_second;
    Samples speed_up;  // over the first number of workers in the same round
    TrainingShares shares;
};

struct TrainingResults {
    TrainingPlan plan;
    std::int64_t parameters = 0;
    TrainingWork work;
    std::vector<TrainingMeasurement> measurements;  // by workers, as the plan has them
    std::int64_t bad_updates = 0;                   // whose gradient was not finite
    std::uint64_t peak_memory = 0;                  // bytes of the process when all was done
};

// Trains `model` (initialised, on the CPU) on the first batches of the first epoch, again for each number of workers
// and in each round, and measures the peak before, between and after the rounds. Logs each measurement.
TrainingResults measure_training(const Config& config, const RunData& data, Seq2Seq& model, const TrainingPlan& plan,
                                 Peaks& peaks);

}  // namespace softalign
