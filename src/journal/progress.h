#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace softalign {

// The line at the bottom of the terminal that is redrawn in place (on stderr). Code that writes to stderr while it may
// be visible uses `aside`, which removes and redraws it. Thread-safe.
class StatusLine {
public:
    static StatusLine& instance();

    // Replaces the line with `text`. REQUIRES: stderr is a terminal, and `text` is not wider than it.
    void draw(const std::string& text);
    void erase();
    // Calls `write` while the line is removed.
    void aside(const std::function<void()>& write);

private:
    StatusLine() = default;

    std::mutex mutex_;
    std::string text_;  // empty = nothing drawn
};

struct ProgressState {
    std::int64_t epoch = 0;       // 1-based
    std::int64_t max_epochs = 0;  // 0 = no limit
    std::int64_t update = 0;
    std::int64_t max_updates = 0;  // 0 = no limit
    std::int64_t position = 0;     // batches done in the epoch
    std::int64_t batches_in_epoch = 0;
    double loss = 0.0;  // nats per target token, running average
    double tokens_per_second = 0.0;
    double busy = 0.0;  // share of the time that the workers computed
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

// The status line for a terminal, at most `width` columns of ASCII: the progress, a bar for the epoch, then the
// figures, the less important ones omitted if there is no room.
//   epoch 3/20 [=======>            ] 34%  update 1234  loss 3.214  12.3k tok/s  97% busy  lr 5.0e-04  ETA 12:31
std::string progress_bar_line(const ProgressState& state, int width);

// The same for a log, without the bar.
std::string progress_plain_line(const ProgressState& state);

// "1:02:03", "4:05"; "?" if negative or not finite.
std::string format_duration(double seconds);

// "950", "12.3k", "1.2M".
std::string format_rate(double per_second);

}  // namespace softalign
