#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "config/config.h"
#include "data/batch.h"
#include "distributed/group.h"
#include "model/seq2seq.h"
#include "ops/loss.h"
#include "ops/packed_weights.h"
#include "platform/memory.h"
#include "platform/worker_pool.h"
#include "train/candidate_sampler.h"
#include "train/flat_parameters.h"
#include "train/frozen.h"
#include "train/gradient_sum.h"
#include "train/shared_vectors.h"

namespace softalign {

// Sums over what went into one update.
struct UpdateSums {
    double objective = 0.0;          // nats, with label smoothing
    double negative_log_prob = 0.0;  // nats, without
    double alignment = 0.0;          // cost of the attention under guided alignment
    double risk = 0.0;               // expected, of the sentences, under minimum risk training
    std::int64_t tokens = 0;         // target tokens, end-of-sentence included
    std::int64_t sentences = 0;
    double gradient_norm = 0.0;  // of the mean gradient, before clipping
    bool applied = true;         // false: loss or gradient not finite, and the weights left alone
    bool weights_finite = true;  // false: the update made the weights or their average not finite
    // If memory ran out: shards that were recomputed one at a time, and into how many pieces each had to be cut.
    std::int64_t computed_again = 0;
    std::int64_t cut_into = 1;
};

// Where the time of the updates so far went, in seconds. The first three are consecutive phases. The last two are
// summed over all workers: workers * shards - forward - backward is idle time.
struct StepSeconds {
    double shards = 0.0;     // cutting the batches, forward and backward of their shards
    double reduction = 0.0;  // adding and scaling the gradients that are left to add, and their norm
    double update = 0.0;     // clipping, the optimiser, the moving average
    double forward = 0.0;
    double backward = 0.0;  // and adding the gradients of finished shards

    // How long the average of so many workers has computed.
    double busy(int workers) const { return (forward + backward) / workers + reduction + update; }

    // The time spent since `before`.
    StepSeconds since(const StepSeconds& before) const;
};

// A batch of an update, the source of all its random numbers, and the probability with which its decoder reads the true
// word (Seq2Seq::with_own_words).
struct KeyedBatch {
    const Batch* batch;
    std::uint64_t key;
    double truth = 1.0;
};

// What training minimises: with candidates the expected risk of translations that they draw, else the cross-entropy.
struct Objective {
    Smoothing smoothing;
    std::shared_ptr<const CandidateSampler> candidates{};
};

// Updates the weights with several workers, but for the frozen ones (training.freeze): their gradient is 0 before its
// norm is taken, and neither the optimiser nor the average touches them. Each batch is cut into training.shards parts.
// Part i of every batch of an update is shard i: a worker computes them one after another into one gradient vector. The
// vectors are added in a fixed order (GradientSum). So the result is bit-identical for any number of workers. On a
// device, which one worker serves, the part of a process is one shard, whatever training.shards is, and the host waits
// for the device three times in an update: for the loss, for the norm of the gradient, and for whether the weights are
// finite.
//
// The processes of a group divide the shards: each adds up those of a subtree, and SharedVectors adds up the sums of
// the subtrees in the order of the same tree. Each updates its own slices of the weights, of their average and of the
// optimiser's state; the weights are then shared. So the result is bit-identical for any number of processes, too.
class GradientStep {
public:
    // REQUIRES: config, vectors, pool and group outlive this; training.shards is a multiple of the group's size, and
    // both are powers of two unless the group is one process.
    GradientStep(const Config& config, const VocabularySizes& sizes, TrainingVectors& vectors,
                 const SpecialIdPair& special, Objective objective, WorkerPool& pool, Group& group = one_process());

    // Adds up the gradients of the batches, divides by their tokens or sentences, clips, and updates the weights and
    // their average. t, from 1, is the number of this update among those that were applied. Shards that do not fit in
    // memory side by side are computed one after another, which changes no bit. A shard that does not fit even then is
    // cut in two, in four, and so on down to single sentences, with dropout masks of their own: the sum differs only by
    // rounding and the masks. Rethrows LibTorch's error if a single sentence is too much; the weights are then as they
    // were.
    UpdateSums update(const std::vector<KeyedBatch>& batches, double learning_rate, std::int64_t t);

    // A process has its own slices of the average and of the optimiser's state. Until the next update, give every
    // process the whole average; rank 0 that and the whole state, for a checkpoint; and every process its part of the
    // state that rank 0 has.
    void share_average();
    void gather_state();
    void scatter_state();

    // The ids of those sentences of a batch whose own loss is not finite with the weights as they are.
    std::vector<std::int64_t> sentences_not_finite(const Batch& batch) const;

    const StepSeconds& seconds() const { return seconds_; }
    const FrozenParts& frozen() const { return frozen_; }

    // The number of gradient vectors that exist.
    std::size_t gradient_vectors() const { return sum_.vectors(); }

private:
    struct ShardResult {
        double objective = 0.0;
        double negative_log_prob = 0.0;
        double alignment = 0.0;
        double risk = 0.0;
        std::int64_t tokens = 0;
        std::int64_t sentences = 0;
        double forward_seconds = 0.0;
        double backward_seconds = 0.0;
    };

    // A batch of this update, and where its parts end.
    struct CutBatch {
        KeyedBatch of;
        std::vector<std::int64_t> ends;

        std::int64_t begin(std::size_t part) const { return part == 0 ? 0 : ends[part - 1]; }
        std::int64_t sentences(std::size_t part) const { return part < ends.size() ? ends[part] - begin(part) : 0; }
    };

    struct StepRates {
        double learning_rate = 0.0;
        double decay = 0.0;  // of the average
        std::int64_t t = 0;
    };

    using SliceTask = std::function<void(std::int64_t slice, std::int64_t begin, std::int64_t count)>;

    UpdateSums add_shards();
    UpdateSums sums_of_all(const std::vector<ShardResult>& own, const MemoryRetries& retries);
    std::vector<bool> ranks_with_shards() const;
    void for_slices(std::int64_t first, std::int64_t end, const SliceTask& task);
    std::int64_t slices() const;
    ShardResult compute_shard(std::int64_t shard, std::int64_t parts, int worker);
    void compute_part(const KeyedBatch& part, std::uint64_t key_of_batch, Seq2Seq& model, ShardResult& sum);
    Loss loss_of(const KeyedBatch& part, std::uint64_t key_of_batch, const Seq2Seq& model);
    std::int64_t most_sentences(std::int64_t shard) const;
    void release_gathered();
    double reduce(const GradientSum::Rest& rest, double scale);
    bool update_range(const at::Tensor& gradient, const FlatRange& range, const StepRates& rates);
    bool update_weights(const at::Tensor& gradient, double clip, double learning_rate, std::int64_t t);

    const Config& config_;
    TrainingVectors& vectors_;
    SpecialIdPair special_;
    Objective objective_;
    WorkerPool& pool_;
    std::vector<std::shared_ptr<Seq2Seq>> replicas_;  // one per worker
    PackedWeights packed_;                            // shared by all workers; repacked for each update
    Group& group_;
    std::int64_t shards_;
    std::int64_t own_shards_;
    std::int64_t first_shard_;
    GradientSum sum_;
    std::vector<CutBatch> batches_;  // of this update
    std::int64_t slice_;             // elements per task of the reduction
    SharedVectors shared_;
    bool gathered_ = true;  // the average or the optimiser's state may be more than the own slices
    FrozenParts frozen_;
    StepSeconds seconds_;
};

}  // namespace softalign
