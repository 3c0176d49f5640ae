#pragma once

#include <cstdint>

namespace softalign {

struct ProgressState {
    std::int64_t epoch = 0;       // 1-based
    std::int64_t max_epochs = 0;  // 0 = no limit
    std::int64_t update = 0;
    std::int64_t max_updates = 0;  // 0 = no limit
    std::int64_t position = 0;     // batches done in the epoch
    std::int64_t batches_in_epoch = 0;
    double loss = 0.0;  // nats per target token, running average
    double tokens_per_second = 0.0;
    double learning_rate = 0.0;
    double eta_seconds = -1.0;  // to the end of training, or of the epoch if there is no limit; < 0 = unknown
};

// A status line on stderr. On a terminal it is redrawn in place, at most ten times per second; otherwise it is a plain
// log line every `every` updates (0 = none). Log messages do not break it.
class Progress {
public:
    explicit Progress(std::int64_t every);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void show(const ProgressState& state);
    // Removes the bar so that other output can be written; the next show() draws it again.
    void clear();

private:
    bool terminal_;
    std::int64_t every_;
    std::int64_t last_update_ = -1;   // the update of the last plain line
    std::int64_t last_drawn_ns_ = 0;  // 0 = draw at once
};

}  // namespace softalign
