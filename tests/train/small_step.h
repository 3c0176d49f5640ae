#pragma once

#include "config/config.h"
#include "model/seq2seq.h"
#include "platform/worker_pool.h"
#include "train/flat_parameters.h"
#include "train/gradient_step.h"
#include "train/optimizer.h"

namespace softalign {

inline constexpr SpecialIdPair small_special{0, 3, 0, 2, 3};
inline constexpr VocabularySizes small_sizes{14, 14};

// A random model over 14 pieces on either side, and what updates it.
struct SmallStep {
    const Config config;
    Seq2Seq model;
    const FlatParameters parameters;
    Optimizer optimizer;
    WorkerPool pool;
    at::Tensor average;  // of the weights
    GradientStep step;

    SmallStep(const Config& settings, int workers)
        : config(settings),
          model(config.model, small_sizes),
          parameters((model.initialize(1), model)),
          optimizer(config.training.optimizer, parameters.values()),
          pool(workers),
          average(parameters.values().clone()),
          step(config, small_sizes, parameters, optimizer, average, small_special, pool) {}
};

}  // namespace softalign
