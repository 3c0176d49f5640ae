#include "train/gradient_step.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/stopwatch.h"
#include "ops/execution.h"
#include "ops/updates.h"
#include "platform/device.h"
#include "platform/memory.h"

namespace softalign {

namespace {

// The numbers of scalars, for which a device is waited for once.
std::vector<double> numbers_of(const std::vector<at::Tensor>& scalars) {
    const at::Tensor joined = at::stack(scalars).to(at::kCPU, at::kDouble);
    return {joined.data_ptr<double>(), joined.data_ptr<double>() + joined.numel()};
}

// `average` may be undefined.
bool all_finite(const at::Tensor& weights, const at::Tensor& average) {
    // The sum of squares overflows for some large numbers, but no number that is not finite gets past it.
    const at::Tensor squares = at::dot(weights, weights);
    const at::Tensor of_both = average.defined() ? squares + at::dot(average, average) : squares;
    return std::isfinite(of_both.item<double>()) ||
           (weights.isfinite().all().item<bool>() && (!average.defined() || average.isfinite().all().item<bool>()));
}

// How many parts a batch is cut into. What one process computes on a device is one of them, whose products are large.
std::int64_t shards_of(const Config& config, const at::Device& device, const Group& group) {
    return is_in_process(device) ? config.training.shards : group.size();
}

// Elements of a slice. Of what is on devices, each process has one: it owns whole slices.
std::int64_t slice_of(const at::Tensor& flat, const Group& group) {
    return is_in_process(flat.device()) ? elements_at_a_time(flat)
                                        : (elements_at_a_time(flat) + group.size() - 1) / group.size();
}

}  // namespace

StepSeconds StepSeconds::since(const StepSeconds& before) const {
    return {shards - before.shards, reduction - before.reduction, update - before.update, forward - before.forward,
            backward - before.backward};
}

GradientStep::GradientStep(const Config& config, const VocabularySizes& sizes, TrainingVectors& vectors,
                           const SpecialIdPair& special, Objective objective, WorkerPool& pool, Group& group)
    : config_(config),
      vectors_(vectors),
      special_(special),
      objective_(std::move(objective)),
      pool_(pool),
      packed_(config.runtime.precision),
      group_(group),
      shards_(shards_of(config, vectors.parameters.values().device(), group)),
      own_shards_(shards_ / group.size()),
      first_shard_(group.rank() * own_shards_),
      sum_(vectors.parameters.values(), own_shards_, pool.size()),
      slice_(slice_of(vectors.parameters.values(), group)),
      shared_(group, pool, vectors.parameters.size(), slice_),
      frozen_(config.training.freeze, vectors.parameters) {
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
        batches_.push_back({batch, part_ends(*batch.batch, shards_)});
    }
    release_gathered();
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

// Forward and backward of the shards of this process; the sums are those of all.
UpdateSums GradientStep::add_shards() {
    // No copy outlives an update, so that none can be older than the weights, whoever changed them.
    pool_.run(packed_.count(), [this](std::int64_t index, int) { packed_.repack(index); });
    sum_.start();
    std::vector<ShardResult> results(static_cast<std::size_t>(own_shards_));
    const auto most_parts = [this](std::int64_t index) { return most_sentences(first_shard_ + index); };
    const auto compute = [&](std::int64_t index, int worker, Attempt attempt) {
        results[static_cast<std::size_t>(index)] = compute_shard(first_shard_ + index, attempt.parts, worker);
    };
    const MemoryRetries retries = run_as_memory_allows(pool_, own_shards_, most_parts, compute);
    for (const ShardResult& result : results) {
        seconds_.forward += result.forward_seconds;
        seconds_.backward += result.backward_seconds;
    }
    return sums_of_all(results, retries);
}

// The shards of all processes, in their order.
UpdateSums GradientStep::sums_of_all(const std::vector<ShardResult>& own, const MemoryRetries& retries) {
    std::string message(sizeof retries + own.size() * sizeof(ShardResult), '\0');
    std::memcpy(message.data(), &retries, sizeof retries);
    std::memcpy(message.data() + sizeof retries, own.data(), own.size() * sizeof(ShardResult));
    UpdateSums sums;
    for (const std::string& text : group_.gather(message)) {
        MemoryRetries of_rank;
        std::memcpy(&of_rank, text.data(), sizeof of_rank);
        sums.computed_again += of_rank.tasks;
        sums.cut_into = std::max(sums.cut_into, of_rank.parts);
        for (std::size_t place = sizeof of_rank; place < text.size(); place += sizeof(ShardResult)) {
            ShardResult result;
            std::memcpy(&result, text.data() + place, sizeof result);
            sums.objective += result.objective;
            sums.negative_log_prob += result.negative_log_prob;
            sums.alignment += result.alignment;
            sums.risk += result.risk;
            sums.tokens += result.tokens;
            sums.sentences += result.sentences;
        }
    }
    return sums;
}

// Of each rank, whether one of its shards has a sentence: every process knows all batches.
std::vector<bool> GradientStep::ranks_with_shards() const {
    std::vector<bool> has(static_cast<std::size_t>(group_.size()));
    for (std::size_t rank = 0; rank < has.size(); ++rank) {
        for (std::int64_t index = 0; index < own_shards_; ++index) {
            has[rank] = has[rank] || most_sentences(static_cast<std::int64_t>(rank) * own_shards_ + index) > 0;
        }
    }
    return has;
}

// Its part of every batch, into one gradient, which nobody sees until it is whole. `parts`: cut each into so many.
GradientStep::ShardResult GradientStep::compute_shard(std::int64_t shard, std::int64_t parts, int worker) {
    ShardResult result;
    if (most_sentences(shard) == 0) {
        sum_.add(shard - first_shard_, at::Tensor());
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
                compute_part({&part, key, batch.of.truth}, batch.of.key, model, result);
                continue;
            }
            std::uint64_t number = 0;
            for (const Batch& smaller : cut_batch(part, parts, special_)) {
                compute_part({&smaller, mix_key({key, number++}), batch.of.truth}, batch.of.key, model, result);
            }
        }
    } catch (...) {
        gradient.zero_();
        sum_.give_back(std::move(gradient));
        throw;
    }
    const Stopwatch watch;
    sum_.add(shard - first_shard_, std::move(gradient));
    result.backward_seconds += watch.seconds();
    return result;
}

// What is drawn for a sentence depends on the batch, but not on how it is cut.
Loss GradientStep::loss_of(const KeyedBatch& part, std::uint64_t key_of_batch, const Seq2Seq& model) {
    Noise noise(part.key);
    const Execution execution(&packed_, &noise);
    const TrainingConfig& training = config_.training;
    if (objective_.candidates) {
        const CandidateBatch candidates = objective_.candidates->draw(model, *part.batch, key_of_batch, execution);
        return model.risk_loss(candidates, training.minimum_risk, objective_.smoothing, execution);
    }
    TensorBatch batch = to_tensors(*part.batch, vectors_.parameters.values().device());
    if (part.truth < 1.0) {
        batch = model.with_own_words(batch, part.truth, execution);
    }
    return training.r_drop > 0.0
               ? model.r_drop_loss(batch, {objective_.smoothing, training.r_drop}, execution, training.guided_alignment)
               : model.loss(batch, objective_.smoothing, execution, training.guided_alignment);
}

void GradientStep::compute_part(const KeyedBatch& part, std::uint64_t key_of_batch, Seq2Seq& model, ShardResult& sum) {
    Stopwatch watch;
    const Loss loss = loss_of(part, key_of_batch, model);
    sum.forward_seconds += watch.lap();
    loss.objective.backward();
    std::vector<at::Tensor> scalars{loss.objective.detach(), loss.negative_log_prob};
    if (loss.alignment.defined()) {
        scalars.push_back(loss.alignment);
    }
    const std::vector<double> numbers = numbers_of(scalars);
    sum.objective += numbers[0];
    sum.negative_log_prob += numbers[1];
    sum.alignment += numbers.size() > 2 ? numbers[2] : 0.0;
    sum.risk += loss.risk;
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
        const Loss loss = replicas_.front()->loss(tensors, objective_.smoothing, Execution(&packed, nullptr),
                                                  config_.training.guided_alignment);
        if (!std::isfinite(loss.objective.item<double>())) {
            ids.push_back(sentence.ids.front());
        }
    }
    return ids;
}

std::int64_t GradientStep::slices() const {
    return (vectors_.parameters.size() + slice_ - 1) / slice_;
}

void GradientStep::for_slices(std::int64_t first, std::int64_t end, const SliceTask& task) {
    pool_.run(end - first, [&](std::int64_t index, int) {
        const at::NoGradGuard no_grad;
        const std::int64_t begin = (first + index) * slice_;
        task(first + index, begin, std::min(slice_, vectors_.parameters.size() - begin));
    });
}

// Adds what is left to add, and scales the sum; returns its norm. With several processes, the sum is in their own
// slices.
double GradientStep::reduce(const GradientSum::Rest& rest, double scale) {
    const auto add_rest = [&](std::int64_t /*slice*/, std::int64_t begin, std::int64_t count) {
        for (const GradientSum::Addition& addition : rest.additions) {
            add_and_clear(addition.into, addition.from, begin, count);
        }
    };
    if (!group_.is_alone()) {
        for_slices(0, slices(), add_rest);
        shared_.add_up(rest.total, ranks_with_shards());
    }
    std::vector<double> squares(static_cast<std::size_t>(slices()));
    for_slices(shared_.first_slice(), shared_.end_slice(),
               [&](std::int64_t slice, std::int64_t begin, std::int64_t count) {
                   if (group_.is_alone()) {
                       add_rest(slice, begin, count);
                   }
                   for (const FlatRange& range : frozen_.inside({begin, count})) {
                       rest.total.narrow(0, range.begin, range.count).zero_();
                   }
                   at::Tensor sum = rest.total.narrow(0, begin, count);
                   sum.mul_(scale);
                   squares[static_cast<std::size_t>(slice)] = at::dot(sum, sum).item<double>();
               });
    for (const GradientSum::Addition& addition : rest.additions) {
        sum_.give_back(addition.from);
    }
    shared_.gather_slices(squares);
    double total = 0.0;
    for (const double square : squares) {
        total += square;
    }
    return std::sqrt(total);
}

// Whether the weights and their average are finite after it.
bool GradientStep::update_range(const at::Tensor& gradient, const FlatRange& range, const StepRates& rates) {
    const at::Tensor& values = vectors_.parameters.values();
    vectors_.optimizer.update(values, gradient, range.begin, range.count, rates.learning_rate, rates.t);
    const at::Tensor weights = values.narrow(0, range.begin, range.count);
    at::Tensor average;
    if (vectors_.average.defined()) {
        average = vectors_.average.narrow(0, range.begin, range.count);
        move_average(average, weights, 1.0 - rates.decay);
    }
    return all_finite(weights, average);
}

// Whether the weights and their average are finite after it. Leaves zeros in the gradient.
bool GradientStep::update_weights(const at::Tensor& gradient, double clip, double learning_rate, std::int64_t t) {
    const double decay = std::min(config_.training.ema, static_cast<double>(1 + t) / static_cast<double>(10 + t));
    std::atomic<bool> finite{true};
    for_slices(shared_.first_slice(), shared_.end_slice(),
               [&](std::int64_t /*slice*/, std::int64_t begin, std::int64_t count) {
                   if (clip != 1.0) {
                       gradient.narrow(0, begin, count).mul_(clip);
                   }
                   for (const FlatRange& range : frozen_.outside({begin, count})) {
                       if (!update_range(gradient, range, {learning_rate, decay, t})) {
                           finite = false;
                       }
                   }
                   gradient.narrow(0, begin, count).zero_();
               });
    const SliceTask clear = [&](std::int64_t /*slice*/, std::int64_t begin, std::int64_t count) {
        gradient.narrow(0, begin, count).zero_();
    };
    for_slices(0, shared_.first_slice(), clear);
    for_slices(shared_.end_slice(), slices(), clear);
    shared_.share(vectors_.parameters.values());
    const std::vector<std::string> answers = group_.gather(finite ? "" : "not finite");
    return std::all_of(answers.begin(), answers.end(), [](const std::string& answer) { return answer.empty(); });
}

void GradientStep::share_average() {
    gathered_ = true;
    if (vectors_.average.defined()) {
        shared_.share(vectors_.average);
    }
}

// What others own takes memory only while somebody may read it.
void GradientStep::release_gathered() {
    if (!gathered_) {
        return;
    }
    gathered_ = false;
    if (vectors_.average.defined()) {
        shared_.release_others(vectors_.average);
    }
    for (const auto& entry : vectors_.optimizer.state()) {
        shared_.release_others(entry.second);
    }
}

void GradientStep::gather_state() {
    share_average();
    for (const auto& entry : vectors_.optimizer.state()) {
        shared_.gather_to_first(entry.second);
    }
}

void GradientStep::scatter_state() {
    gathered_ = true;
    for (const auto& entry : vectors_.optimizer.state()) {
        shared_.scatter_from_first(entry.second);
    }
}

}  // namespace softalign
