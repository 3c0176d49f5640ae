#pragma once

#include <cstdint>

#include "config/config.h"

namespace softalign {

// What a schedule remembers between updates; a checkpoint holds it.
struct ScheduleState {
    double reduction = 1.0;                     // plateau: product of the reductions so far
    std::int64_t validations_without_gain = 0;  // plateau: since the last gain or reduction
    double rate_factor = 1.0;                   // for a run that went back after it had diverged
};

// The learning rate of an update. All schedules begin with `warmup` updates of linear warm-up (0 = none):
//   constant:     base
//   inverse_sqrt: base * sqrt(warmup / update) after the warm-up (Vaswani et al. 2017, scaled to reach base)
//   cosine:       from base to min_learning_rate by half a cosine, between the warm-up and `updates`, and that after it
//                 (Loshchilov and Hutter 2017, equation 5, without restarts)
//   plateau:      base * factor^(reductions); a reduction after `patience` validations without a gain
//   halving:      base * factor^k, k = number of reductions due after epochs start_epoch, start_epoch + every, ...
// each times rate_factor, and never below min_learning_rate after the warm-up.
class Schedule {
public:
    Schedule(const ScheduleConfig& config, double base_rate);

    // update from 1; epoch from 0.
    double rate(std::int64_t update, std::int64_t epoch) const;

    // Call after each validation; returns true if it reduced the rate.
    bool validated(bool gained);

    const ScheduleState& state() const { return state_; }
    void restore(const ScheduleState& state) { state_ = state; }

private:
    double base() const { return base_rate_ * state_.rate_factor; }

    ScheduleConfig config_;
    double base_rate_;
    ScheduleState state_;
};

}  // namespace softalign
