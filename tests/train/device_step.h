#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "train/small_step.h"

namespace softalign {

inline Config device_step_config() {
    Config config;
    config.model.embedding_size = 6;
    config.model.encoder.hidden_size = 5;
    config.model.decoder.hidden_size = 5;
    config.model.attention.size = 4;
    config.model.dropout.output = 0.3;
    config.training.optimizer.type = OptimizerType::sgd;
    config.training.clip_norm = 0.5;
    config.training.shards = 4;
    config.training.label_smoothing = 0.1;
    config.training.ema = 0.9;
    return config;
}

inline Batch device_step_batch(std::uint64_t key) {
    Random random(key);
    std::vector<Example> examples(8);
    for (Example& example : examples) {
        for (std::uint64_t i = random.below(6) + 1; i > 0; --i) {
            example.source.push_back(static_cast<std::int32_t>(4 + random.below(10)));
            example.target.push_back(static_cast<std::int32_t>(4 + random.below(10)));
        }
    }
    return make_batch(examples, small_special);
}

// A random model on a device, and what updates it; the same updates for all processes of a group.
struct DeviceStep {
    const Config config;
    Seq2Seq model;
    TrainingVectors vectors;
    WorkerPool pool;
    GradientStep step;

    DeviceStep(const Config& settings, const at::Device& device, Group& group = one_process())
        : config(settings),
          model(config.model, small_sizes),
          vectors(config.training, (model.initialize(1), model.to(device), model)),
          pool(1),
          step(config, small_sizes, vectors, small_special, {config.training.label_smoothing}, pool, group) {}

    UpdateSums update(std::int64_t t) {
        const auto key = static_cast<std::uint64_t>(t);
        const Batch batch = device_step_batch(key);
        return step.update({{&batch, key}}, 0.01, t);
    }

    const at::Tensor& weights() const { return vectors.parameters.values(); }
};

}  // namespace softalign
