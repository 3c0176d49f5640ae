#pragma once

#include "config/config.h"
#include "model/seq2seq.h"
#include "platform/worker_pool.h"
#include "train/flat_parameters.h"
#include "train/gradient_step.h"

namespace softalign {

inline constexpr SpecialIdPair small_special{0, 3, 0, 2, 3};
inline constexpr VocabularySizes small_sizes{14, 14};

// A random model over 14 pieces on either side, and what updates it.
struct SmallStep {
    const Config config;
    Seq2Seq model;
    TrainingVectors vectors;  // with an average in any case
    WorkerPool pool;
    GradientStep step;

    SmallStep(const Config& settings, int workers)
        : config(settings),
          model(config.model, small_sizes),
          vectors(config.training, (model.initialize(1), model)),
          pool(workers),
          step(config, small_sizes, vectors, small_special, pool) {
        vectors.average = vectors.parameters.values().clone();
    }
};

}  // namespace softalign
