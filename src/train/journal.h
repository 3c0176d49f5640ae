#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/stopwatch.h"
#include "config/config.h"
#include "journal/event_file.h"
#include "journal/metrics_log.h"
#include "journal/progress.h"
#include "train/gradient_step.h"
#include "train/run_state.h"
#include "train/validator.h"

namespace softalign {

// The progress of a run right after an update, for reporting.
struct UpdateReport {
    std::int64_t update = 0;
    std::int64_t epoch = 0;         // of this update, from 1
    std::int64_t batches_done = 0;  // in this epoch
    std::int64_t batches_in_epoch = 0;
    double learning_rate = 0.0;
    double minutes = 0.0;       // of the run
    double busy_seconds = 0.0;  // that the average worker has computed, since this process started
    UpdateSums sums;
};

// Reports a run: the progress bar or lines, the log, metrics.jsonl, and TensorBoard if requested.
class Journal {
public:
    // Opens the files in `directory`. Throws Error(output). REQUIRES: start() before anything else.
    Journal(const Config& config, std::string directory);

    // Continues from a state, that of an earlier process or one to go back to: drops the records of updates that will
    // be repeated, and takes over what the next record has gathered so far. Works on a full disk.
    void start(const RunState& state);

    // What the next record has gathered so far, for a run's state.
    const Window& window() const { return window_; }

    // Waits until all records are on the disk, so that no checkpoint saved afterwards is newer than its records.
    void sync() { metrics_.sync(); }

    void updated(const UpdateReport& report);

    // REQUIRES: `state` already counts this validation.
    void validated(const RunState& state, const ValidationResult& result, bool gained, double minutes);

    // Call before something other than training takes time or writes.
    void pause() { progress_.clear(); }
    // Call after it: its time does not count towards the speed.
    void go_on();

private:
    double seconds() const;
    // Of a sum over the window.
    double a_token(double sum) const;
    double speed() const;
    double busy() const;
    double eta(const UpdateReport& report) const;
    void warn_of_memory(const UpdateReport& report);
    void show(const UpdateReport& report);
    void write_window(const UpdateReport& report);
    void write_events(const nlohmann::ordered_json& record, std::int64_t update);

    const Config& config_;
    std::string directory_;
    MetricsLog metrics_;
    std::unique_ptr<EventFile> events_;  // null without report.tensorboard
    Progress progress_;
    Window window_;  // since the last record
    // What has been done since the last record or break, and when that was: the speed.
    Stopwatch watch_;
    std::int64_t timed_updates_ = 0;
    std::int64_t timed_tokens_ = 0;
    double busy_before_ = 0.0;
    double busy_now_ = 0.0;
    std::int64_t short_of_memory_ = 0;  // updates of this process that ran out of memory
};

}  // namespace softalign
