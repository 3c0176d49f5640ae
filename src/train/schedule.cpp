#include "train/schedule.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace softalign {

namespace {

constexpr double pi = 3.14159265358979323846;

}  // namespace

Schedule::Schedule(const ScheduleConfig& config, double base_rate) : config_(config), base_rate_(base_rate) {}

double Schedule::rate(std::int64_t update, std::int64_t epoch) const {
    if (update < config_.warmup) {
        return base() * static_cast<double>(update) / static_cast<double>(config_.warmup);
    }
    double rate = base();
    switch (config_.type) {
        case ScheduleType::constant:
            break;
        case ScheduleType::inverse_sqrt:
            rate *=
                std::sqrt(static_cast<double>(std::max<std::int64_t>(config_.warmup, 1)) / static_cast<double>(update));
            break;
        case ScheduleType::cosine: {
            const auto length = static_cast<double>(config_.updates - config_.warmup);
            const double done = std::min(static_cast<double>(update - config_.warmup) / length, 1.0);
            const double floor = std::min(config_.min_learning_rate, rate);
            rate = floor + (rate - floor) * 0.5 * (1.0 + std::cos(pi * done));
            break;
        }
        case ScheduleType::plateau:
            rate *= state_.reduction;
            break;
        case ScheduleType::halving:
            if (epoch >= config_.start_epoch) {
                const std::int64_t reductions = (epoch - config_.start_epoch) / config_.every_epochs + 1;
                rate *= std::pow(config_.factor, static_cast<double>(reductions));
            }
            break;
    }
    return std::max(rate, config_.min_learning_rate);
}

bool Schedule::validated(bool gained) {
    if (config_.type != ScheduleType::plateau) {
        return false;
    }
    if (gained) {
        state_.validations_without_gain = 0;
        return false;
    }
    if (++state_.validations_without_gain < config_.patience) {
        return false;
    }
    state_.validations_without_gain = 0;
    const bool above_minimum = base() * state_.reduction > config_.min_learning_rate;
    state_.reduction *= config_.factor;
    return above_minimum;
}

}  // namespace softalign
