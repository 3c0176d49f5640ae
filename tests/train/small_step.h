#pragma once

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "config/config.h"
#include "model/seq2seq.h"
#include "platform/worker_pool.h"
#include "train/flat_parameters.h"
#include "train/gradient_step.h"

namespace softalign {

inline constexpr SpecialIdPair small_special{0, 3, 0, 2, 3};
inline constexpr VocabularySizes small_sizes{14, 14};

inline bool same_bytes(const at::Tensor& a, const at::Tensor& b) {
    return a.nbytes() == b.nbytes() && std::memcmp(a.data_ptr(), b.data_ptr(), a.nbytes()) == 0;
}

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
          step(config, small_sizes, vectors, small_special, {config.training.label_smoothing}, pool) {
        vectors.average = vectors.parameters.values().clone();
    }

    // An update of batches, each with the key that stands beside it.
    UpdateSums update(const std::vector<std::pair<Batch, std::uint64_t>>& batches, double rate, std::int64_t t) {
        std::vector<KeyedBatch> keyed;
        for (const auto& [batch, key] : batches) {
            keyed.push_back({&batch, key});
        }
        return step.update(keyed, rate, t);
    }
};

}  // namespace softalign
