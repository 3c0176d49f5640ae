#include "train/learner.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/random.h"
#include "train/candidate_sampler.h"
#include "train/scheduled_sampling.h"

namespace softalign {

std::vector<BatchStream::Item> take_batches(std::int64_t accumulate, const std::function<BatchStream::Item()>& next) {
    std::vector<BatchStream::Item> taken;
    do {
        taken.push_back(next());
    } while (static_cast<std::int64_t>(taken.size()) < accumulate && !taken.back().ends_epoch());
    return taken;
}

namespace {

Objective objective_of(const Config& config, const RunData& data, const at::Device& device) {
    Objective objective{smoothing_of(config.training, data, device)};
    if (config.training.minimum_risk.samples > 0) {
        objective.candidates = std::make_shared<CandidateSampler>(config, *data.tokenizers.target, data.special);
    }
    return objective;
}

}  // namespace

Learner::Learner(const Config& config, const RunData& data, TrainingVectors& vectors, WorkerPool& pool, Group& group)
    : config_(config),
      schedule_(config.training.schedule, config.training.optimizer.learning_rate),
      step_(config, data.sizes(), vectors, data.special,
            objective_of(config, data, vectors.parameters.values().device()), pool, group) {}

UpdateSums Learner::update(const std::vector<BatchStream::Item>& batches, std::int64_t update, std::int64_t applied) {
    const double truth = true_word_probability(config_.training.scheduled_sampling, update);
    std::vector<KeyedBatch> keyed;
    for (const BatchStream::Item& item : batches) {
        keyed.push_back({&item.batch,
                         mix_key({config_.training.seed, static_cast<std::uint64_t>(update),
                                  static_cast<std::uint64_t>(keyed.size())}),
                         truth});
    }
    return step_.update(keyed, schedule_.rate(update, batches.front().epoch), applied);
}

}  // namespace softalign
