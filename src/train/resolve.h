#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <string>

#include "config/config.h"

namespace softalign {

// The configuration with what is chosen when a run starts, or as the run has it that is resumed, where it is not given:
// model.source.size, which the training data decide, and training.shards. Throws Error(data).
Config resolve(const Config& config, bool resume = false);

// The number of shards for so many cores: the power of two that leaves few cores idle, and whose shards are not so
// small that their products become inefficient. At least 1.
std::int64_t choose_shards(const TrainingConfig& training, int cores);

// The number of workers that a run starts: no more than there are shards.
int training_workers(const Config& resolved, const at::Device& device);

// Which share of the time the workers compute if all shards take equally long.
double expected_share(std::int64_t shards, int workers);

// What to change where `available` workers would be idle for much of the time; empty if they are not.
std::string advice_on_idle_workers(const TrainingConfig& training, int available);

}  // namespace softalign
