#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "train/schedule.h"
#include "train/validator.h"

namespace softalign {

struct BestCheckpoint {
    double score = 0.0;  // of validation.metric
    std::int64_t update = 0;
};

// What the next record of metrics.jsonl has gathered so far: sums over the updates that changed the weights.
struct Window {
    std::int64_t tokens = 0;
    double objective = 0.0;
    double alignment = 0.0;
    double risk = 0.0;
    std::int64_t sentences = 0;
};

// A run's state besides its vectors: everything that the next update depends on.
struct RunState {
    std::int64_t update = 0;    // updates done
    std::int64_t epoch = 0;     // of the next batch, from 0
    std::int64_t position = 0;  // of the next batch in its epoch

    // The epoch of the last update, from 1, as it is shown and written everywhere; 0 before the first.
    std::int64_t last_epoch() const { return position == 0 ? epoch : epoch + 1; }

    std::int64_t validations_without_gain = 0;
    std::int64_t last_validation = 0;  // update of the last validation
    bool validation_owed = false;      // one came due while updates were not finite, and is made up later
    std::vector<BestCheckpoint> best;  // best first, at most keep_best (at least 1)
    ScheduleState schedule;
    double minutes = 0.0;      // spent training, earlier runs included
    std::int64_t applied = 0;  // updates that changed the weights
    // Updates skipped because the loss or gradient was not finite: in a row, and in total.
    std::int64_t bad_in_a_row = 0;
    std::int64_t bad_in_all = 0;
    std::int64_t times_back = 0;  // times the run went back to a checkpoint because of them
    bool on_signal = false;       // saved because of a signal alone
    bool save_owed = false;       // as validation_owed
    Window window;

    // The last update that changed the weights.
    std::int64_t last_applied() const { return update - bad_in_a_row; }

    // Numbers that are not finite are written as strings, since JSON has no such numbers.
    std::string to_json() const;
    // Throws std::exception on malformed text.
    static RunState from_json(const std::string& text);
};

// The metadata of a model file: when its weights were saved, and their validation result (may be null).
std::map<std::string, std::string> model_metadata(const RunState& state, const ValidationResult* result);

}  // namespace softalign
