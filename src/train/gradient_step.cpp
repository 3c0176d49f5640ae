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
      slice_(elements_at_a_time(vectors.parameters.values())) {
    const FlatParameters& parameters = vectors.parameters;
    for (int worker = 0; worker < pool.size(); ++worker) {
        replicas_.push_back(std::make_shared<Seq2Seq>(config.model, sizes));
        parameters.attach(*replicas_.back(), parameters.values());
    }
    for (std::int64_t shard = 0; shard < config.training.shards; ++shard) {
        gradients_.push_back(parameters.zeros());
    }
    used_.assign(gradients_.size(), false);
}

GradientStep::ShardResult& GradientStep::ShardResult::operator+=(const ShardResult& other) {
    objective += other.objective;
    negative_log_prob += other.negative_log_prob;
    tokens += other.tokens;
    sentences += other.sentences;
    forward_seconds += other.forward_seconds;
    backward_seconds += other.backward_seconds;
    return *this;
}

void GradientStep::accumulate(const Batch& batch, std::uint64_t key) {
    Stopwatch watch;
    if (taken_.empty()) {
        // No copy outlives an update, so that none can be older than the weights, whoever changed them.
        pool_.run(packed_.count(), [this](std::int64_t index, int) { packed_.repack(index); });
    }
    taken_.push_back({cut_batch(batch, config_.training.shards, special_), key});
    const std::vector<Batch>& shards = taken_.back().shards;
    std::vector<ShardResult> results(shards.size());
    const auto most_parts = [this](std::int64_t index) { return most_sentences(index); };
    const auto compute = [&](std::int64_t index, int worker, Attempt attempt) {
        const auto i = static_cast<std::size_t>(index);
        results[i] = attempt.alone
                         ? compute_again(index, attempt.parts)
                         : compute_shard(shards[i], index, worker, mix_key({key, static_cast<std::uint64_t>(index)}));
    };
    const MemoryRetries retries =
        run_as_memory_allows(pool_, static_cast<std::int64_t>(shards.size()), most_parts, compute);
    sums_.computed_again += retries.tasks;
    sums_.cut_into = std::max(sums_.cut_into, retries.parts);
    for (std::size_t i = 0; i < results.size(); ++i) {
        used_[i] = true;
        sums_.objective += results[i].objective;
        sums_.negative_log_prob += results[i].negative_log_prob;
        sums_.tokens += results[i].tokens;
        sums_.sentences += results[i].sentences;
        seconds_.forward += results[i].forward_seconds;
        seconds_.backward += results[i].backward_seconds;
    }
    seconds_.shards += watch.lap();
}

GradientStep::ShardResult GradientStep::compute_shard(const Batch& shard, std::int64_t index, int worker,
                                                      std::uint64_t key) {
    Stopwatch watch;
    Seq2Seq& model = *replicas_[static_cast<std::size_t>(worker)];
    vectors_.parameters.attach_gradients(model, gradients_[static_cast<std::size_t>(index)]);
    Noise noise(key);
    const TensorBatch batch = to_tensors(shard, vectors_.parameters.values().device());
    Loss loss = model.loss(batch, config_.training.label_smoothing, Execution(&packed_, &noise));
    const double forward = watch.lap();
    loss.objective.backward();
    return {loss.objective.item<double>(),
            loss.negative_log_prob.item<double>(),
            loss.tokens,
            loss.sentences,
            forward,
            watch.lap()};
}

GradientStep::ShardResult GradientStep::compute_in_parts(const Taken& taken, std::int64_t index, std::int64_t parts) {
    const Batch& shard = taken.shards[static_cast<std::size_t>(index)];
    const std::uint64_t key = mix_key({taken.key, static_cast<std::uint64_t>(index)});
    if (parts == 1) {
        return compute_shard(shard, index, 0, key);
    }
    ShardResult sum;
    std::uint64_t number = 0;
    for (const Batch& part : cut_batch(shard, parts, special_)) {
        sum += compute_shard(part, index, 0, mix_key({key, number++}));
    }
    return sum;
}

// All of this update's batches into the gradient of one shard. The result is that of the last batch: the others are
// counted already.
GradientStep::ShardResult GradientStep::compute_again(std::int64_t index, std::int64_t parts) {
    const auto at = static_cast<std::size_t>(index);
    gradients_[at].zero_();
    ShardResult result;
    for (const Taken& taken : taken_) {
        if (at < taken.shards.size()) {
            result = compute_in_parts(taken, index, parts);
        }
    }
    return result;
}

// Of one shard, in any of this update's batches.
std::int64_t GradientStep::most_sentences(std::int64_t index) const {
    const auto at = static_cast<std::size_t>(index);
    std::int64_t most = 0;
    for (const Taken& taken : taken_) {
        most = std::max(most, at < taken.shards.size() ? taken.shards[at].sentences : 0);
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

// Adds the shards' gradients into the first vector, scaled; returns the norm.
double GradientStep::reduce(double scale) {
    const at::NoGradGuard no_grad;
    const std::int64_t slices = (vectors_.parameters.size() + slice_ - 1) / slice_;
    std::vector<double> squares(static_cast<std::size_t>(slices));
    pool_.run(slices, [&](std::int64_t index, int) {
        const at::NoGradGuard no_grad_here;
        const std::int64_t begin = index * slice_;
        const std::int64_t count = std::min(slice_, vectors_.parameters.size() - begin);
        at::Tensor sum = gradients_[0].narrow(0, begin, count);
        for (std::size_t shard = 1; shard < gradients_.size(); ++shard) {
            if (used_[shard]) {
                at::Tensor part = gradients_[shard].narrow(0, begin, count);
                sum.add_(part);
                part.zero_();
            }
        }
        sum.mul_(scale);
        squares[static_cast<std::size_t>(index)] = at::dot(sum, sum).item<double>();
    });
    double total = 0.0;
    for (const double square : squares) {
        total += square;
    }
    return std::sqrt(total);
}

// Whether the weights and their average are finite after it.
bool GradientStep::update_weights(double clip, double learning_rate, std::int64_t t) {
    const std::int64_t slices = (vectors_.parameters.size() + slice_ - 1) / slice_;
    const double decay = std::min(config_.training.ema, static_cast<double>(1 + t) / static_cast<double>(10 + t));
    std::atomic<bool> finite{true};
    pool_.run(slices, [&](std::int64_t index, int) {
        const at::NoGradGuard no_grad;
        const std::int64_t begin = index * slice_;
        const std::int64_t count = std::min(slice_, vectors_.parameters.size() - begin);
        at::Tensor gradient = gradients_[0].narrow(0, begin, count);
        if (clip != 1.0) {
            gradient.mul_(clip);
        }
        vectors_.optimizer.update(vectors_.parameters.values(), gradients_[0], begin, count, learning_rate, t);
        gradient.zero_();
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

UpdateSums GradientStep::apply(double learning_rate, std::int64_t t) {
    const bool by_tokens = config_.training.loss_normalization == LossNormalization::tokens;
    const std::int64_t units = by_tokens ? sums_.tokens : sums_.sentences;
    Stopwatch watch;
    sums_.gradient_norm = reduce(1.0 / static_cast<double>(std::max<std::int64_t>(units, 1)));
    seconds_.reduction += watch.lap();
    // The gradient of an infinite loss can be finite.
    sums_.applied = std::isfinite(sums_.gradient_norm) && std::isfinite(sums_.objective);
    if (sums_.applied) {
        const double limit = config_.training.clip_norm;
        const double clip = limit > 0.0 && sums_.gradient_norm > limit ? limit / sums_.gradient_norm : 1.0;
        sums_.weights_finite = update_weights(clip, learning_rate, t);
    } else {
        gradients_[0].zero_();
    }
    seconds_.update += watch.lap();
    used_.assign(used_.size(), false);
    taken_.clear();
    return std::exchange(sums_, UpdateSums{});
}

}  // namespace softalign
