#include "train/gradient_step.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/stopwatch.h"
#include "ops/execution.h"
#include "ops/updates.h"
#include "platform/memory.h"

namespace softalign {

namespace {

bool all_finite(const at::Tensor& values) {
    // The sum of squares overflows for some large numbers, but no number that is not finite gets past it.
    return std::isfinite(at::dot(values, values).item<double>()) || values.isfinite().all().item<bool>();
}

}  // namespace

StepSeconds StepSeconds::since(const StepSeconds& before) const {
    return {shards - before.shards, reduction - before.reduction, update - before.update, forward - before.forward,
            backward - before.backward};
}

GradientStep::GradientStep(const Config& config, const VocabularySizes& sizes, TrainingVectors& vectors,
                           const SpecialIdPair& special, WorkerPool& pool)
    : config_(config),
      vectors_(vectors),
      special_(special),
      pool_(pool),
      packed_(config.runtime.precision),
      sum_(vectors.parameters.values(), config.training.shards, pool.size()),
      slice_(elements_at_a_time(vectors.parameters.values())) {
    const FlatParameters& parameters = vectors.parameters;
    for (int worker = 0; worker < pool.size(); ++worker) {
        replicas_.push_back(std::make_shared<Seq2Seq>(config.model, sizes));
        parameters.attach(*replicas_.back(), parameters.values());
    }
}

UpdateSums GradientStep::update(const std::vector<KeyedBatch>& batches, double learning_rate, std::int64_t t) {
    Stopwatch watch;
    batches_.clear();
    for (const KeyedBatch& batch : batches) {
        batches_.push_back({batch, part_ends(*batch.batch, config_.training.shards)});
    }
    UpdateSums sums = add_shards();
    seconds_.shards += watch.lap();

    const bool by_tokens = config_.training.loss_normalization == LossNormalization::tokens;
    const std::int64_t units = by_tokens ? sums.tokens : sums.sentences;
    const GradientSum::Rest rest = sum_.rest();
    sums.gradient_norm = reduce(rest, 1.0 / static_cast<double>(std::max<std::int64_t>(units, 1)));
    seconds_.reduction += watch.lap();

    // The gradient of an infinite loss can be finite.
    sums.applied = std::isfinite(sums.gradient_norm) && std::isfinite(sums.objective);
    if (sums.applied) {
        const double limit = config_.training.clip_norm;
        const double clip = limit > 0.0 && sums.gradient_norm > limit ? limit / sums.gradient_norm : 1.0;
        sums.weights_finite = update_weights(rest.total, clip, learning_rate, t);
    } else {
        rest.total.zero_();
    }
    sum_.give_back(rest.total);
    seconds_.update += watch.lap();
    return sums;
}

// Forward and backward of all shards.
UpdateSums GradientStep::add_shards() {
    // No copy outlives an update, so that none can be older than the weights, whoever changed them.
    pool_.run(packed_.count(), [this](std::int64_t index, int) { packed_.repack(index); });
    sum_.start();
    std::vector<ShardResult> results(static_cast<std::size_t>(config_.training.shards));
    const auto most_parts = [this](std::int64_t shard) { return most_sentences(shard); };
    const auto compute = [&](std::int64_t shard, int worker, Attempt attempt) {
        results[static_cast<std::size_t>(shard)] = compute_shard(shard, attempt.parts, worker);
    };
    const MemoryRetries retries = run_as_memory_allows(pool_, config_.training.shards, most_parts, compute);
    UpdateSums sums;
    sums.computed_again = retries.tasks;
    sums.cut_into = retries.parts;
    for (const ShardResult& result : results) {
        sums.objective += result.objective;
        sums.negative_log_prob += result.negative_log_prob;
        sums.tokens += result.tokens;
        sums.sentences += result.sentences;
        seconds_.forward += result.forward_seconds;
        seconds_.backward += result.backward_seconds;
    }
    return sums;
}

// Its part of every batch, into one gradient, which nobody sees until it is whole. `parts`: cut each into so many.
GradientStep::ShardResult GradientStep::compute_shard(std::int64_t shard, std::int64_t parts, int worker) {
    ShardResult result;
    if (most_sentences(shard) == 0) {
        sum_.add(shard, at::Tensor());
        return result;
    }
    Seq2Seq& model = *replicas_[static_cast<std::size_t>(worker)];
    at::Tensor gradient = sum_.take();
    try {
        vectors_.parameters.attach_gradients(model, gradient);
        const auto index = static_cast<std::size_t>(shard);
        for (const CutBatch& batch : batches_) {
            if (index >= batch.ends.size()) {
                continue;
            }
            const Batch part = rows_of(*batch.of.batch, batch.begin(index), batch.ends[index], special_);
            const std::uint64_t key = mix_key({batch.of.key, static_cast<std::uint64_t>(shard)});
            if (parts == 1) {
                compute_part(part, key, model, result);
                continue;
            }
            std::uint64_t number = 0;
            for (const Batch& smaller : cut_batch(part, parts, special_)) {
                compute_part(smaller, mix_key({key, number++}), model, result);
            }
        }
    } catch (...) {
        gradient.zero_();
        sum_.give_back(std::move(gradient));
        throw;
    }
    const Stopwatch watch;
    sum_.add(shard, std::move(gradient));
    result.backward_seconds += watch.seconds();
    return result;
}

void GradientStep::compute_part(const Batch& part, std::uint64_t key, Seq2Seq& model, ShardResult& sum) {
    Stopwatch watch;
    Noise noise(key);
    const TensorBatch batch = to_tensors(part, vectors_.parameters.values().device());
    Loss loss = model.loss(batch, config_.training.label_smoothing, Execution(&packed_, &noise));
    sum.forward_seconds += watch.lap();
    loss.objective.backward();
    sum.objective += loss.objective.item<double>();
    sum.negative_log_prob += loss.negative_log_prob.item<double>();
    sum.tokens += loss.tokens;
    sum.sentences += loss.sentences;
    sum.backward_seconds += watch.lap();
}

// In any of this update's batches.
std::int64_t GradientStep::most_sentences(std::int64_t shard) const {
    std::int64_t most = 0;
    for (const CutBatch& batch : batches_) {
        most = std::max(most, batch.sentences(static_cast<std::size_t>(shard)));
    }
    return most;
}

std::vector<std::int64_t> GradientStep::sentences_not_finite(const Batch& batch) const {
    const at::NoGradGuard no_grad;
    PackedWeights packed(config_.runtime.precision);
    std::vector<std::int64_t> ids;
    for (const Batch& sentence : cut_batch(batch, batch.sentences, special_)) {
        const TensorBatch tensors = to_tensors(sentence, vectors_.parameters.values().device());
        const Loss loss =
            replicas_.front()->loss(tensors, config_.training.label_smoothing, Execution(&packed, nullptr));
        if (!std::isfinite(loss.objective.item<double>())) {
            ids.push_back(sentence.ids.front());
        }
    }
    return ids;
}

// Adds what is left to add, and scales the sum; returns its norm.
double GradientStep::reduce(const GradientSum::Rest& rest, double scale) {
    const std::int64_t slices = (vectors_.parameters.size() + slice_ - 1) / slice_;
    std::vector<double> squares(static_cast<std::size_t>(slices));
    pool_.run(slices, [&](std::int64_t index, int) {
        const at::NoGradGuard no_grad;
        const std::int64_t begin = index * slice_;
        const std::int64_t count = std::min(slice_, vectors_.parameters.size() - begin);
        for (const GradientSum::Addition& addition : rest.additions) {
            add_and_clear(addition.into, addition.from, begin, count);
        }
        at::Tensor sum = rest.total.narrow(0, begin, count);
        sum.mul_(scale);
        squares[static_cast<std::size_t>(index)] = at::dot(sum, sum).item<double>();
    });
    for (const GradientSum::Addition& addition : rest.additions) {
        sum_.give_back(addition.from);
    }
    double total = 0.0;
    for (const double square : squares) {
        total += square;
    }
    return std::sqrt(total);
}

// Whether the weights and their average are finite after it.
bool GradientStep::update_weights(const at::Tensor& gradient, double clip, double learning_rate, std::int64_t t) {
    const std::int64_t slices = (vectors_.parameters.size() + slice_ - 1) / slice_;
    const double decay = std::min(config_.training.ema, static_cast<double>(1 + t) / static_cast<double>(10 + t));
    std::atomic<bool> finite{true};
    pool_.run(slices, [&](std::int64_t index, int) {
        const at::NoGradGuard no_grad;
        const std::int64_t begin = index * slice_;
        const std::int64_t count = std::min(slice_, vectors_.parameters.size() - begin);
        at::Tensor slice = gradient.narrow(0, begin, count);
        if (clip != 1.0) {
            slice.mul_(clip);
        }
        vectors_.optimizer.update(vectors_.parameters.values(), gradient, begin, count, learning_rate, t);
        slice.zero_();
        const at::Tensor weights = vectors_.parameters.values().narrow(0, begin, count);
        bool finite_here = all_finite(weights);
        if (vectors_.average.defined()) {
            const at::Tensor average = vectors_.average.narrow(0, begin, count);
            move_average(average, weights, 1.0 - decay);
            finite_here = finite_here && all_finite(average);
        }
        if (!finite_here) {
            finite = false;
        }
    });
    return finite;
}

}  // namespace softalign
