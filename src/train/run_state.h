#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "train/schedule.h"

namespace softalign {

struct BestCheckpoint {
    double score = 0.0;  // of validation.metric
    std::int64_t update = 0;
};

// Where a run is, besides its vectors: all that the next update depends on.
struct RunState {
    std::int64_t update = 0;    // updates done
    std::int64_t epoch = 0;     // of the next batch, from 0
    std::int64_t position = 0;  // of the next batch in its epoch
    std::int64_t validations_without_gain = 0;
    std::int64_t last_validation = 0;  // update of the last validation
    std::vector<BestCheckpoint> best;  // best first, at most keep_best (at least 1)
    ScheduleState schedule;
    double minutes = 0.0;  // spent training, earlier runs included

    std::string to_json() const;
    // Throws std::exception on malformed text.
    static RunState from_json(const std::string& text);
};

}  // namespace softalign
