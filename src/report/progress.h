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
    double loss = 0.0;  // nats a target token, running average
    double tokens_per_second = 0.0;
    double learning_rate = 0.0;
    double eta_seconds = -1.0;  // to the end of training, or to the epoch's where there is no limit; < 0 unknown
};

// One status line on stderr: redrawn in place on a terminal (at most ten times a second), a plain log line every
// `every` updates elsewhere (0 = none). Log lines written while the bar stands do not break it.
class Progress {
public:
    explicit Progress(std::int64_t every);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void show(const ProgressState& state);
    // Takes the bar away so that other output can be written; the next show draws it again.
    void clear();

private:
    bool terminal_;
    std::int64_t every_;
    std::int64_t last_update_ = -1;   // of the last plain line
    std::int64_t last_drawn_ns_ = 0;  // 0 = draw at once
};

}  // namespace softalign
