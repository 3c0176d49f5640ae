#include "train/learner.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "base/random.h"

namespace softalign {

std::vector<BatchStream::Item> take_batches(std::int64_t accumulate, const NextBatch& next, const UseBatch& use) {
    std::vector<BatchStream::Item> taken;
    for (std::int64_t part = 0; part < accumulate; ++part) {
        taken.push_back(next());
        use(taken.back().batch, part);
        if (taken.back().ends_epoch()) {
            break;
        }
    }
    return taken;
}

Learner::Learner(const Config& config, const VocabularySizes& sizes, TrainingVectors& vectors,
                 const SpecialIdPair& special, WorkerPool& pool)
    : config_(config),
      schedule_(config.training.schedule, config.training.optimizer.learning_rate),
      step_(config, sizes, vectors, special, pool) {}

void Learner::add(const Batch& batch, std::int64_t update, std::int64_t part) {
    step_.accumulate(
        batch, mix_key({config_.training.seed, static_cast<std::uint64_t>(update), static_cast<std::uint64_t>(part)}));
}

std::vector<BatchStream::Item> Learner::add_batches(std::int64_t update, const NextBatch& next) {
    return take_batches(config_.training.accumulate, next,
                        [&](const Batch& batch, std::int64_t part) { add(batch, update, part); });
}

UpdateSums Learner::apply(std::int64_t update, std::int64_t epoch, std::int64_t applied) {
    return step_.apply(schedule_.rate(update, epoch), applied);
}

}  // namespace softalign
