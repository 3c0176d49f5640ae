#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "config/config.h"
#include "data/batch.h"
#include "model/seq2seq.h"
#include "ops/packed_weights.h"
#include "platform/worker_pool.h"
#include "train/flat_parameters.h"

namespace softalign {

// Sums over what went into one update.
struct UpdateSums {
    double objective = 0.0;          // nats, with label smoothing
    double negative_log_prob = 0.0;  // nats, without
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
    double shards = 0.0;     // accumulate(): cutting the batch, forward and backward of its shards
    double reduction = 0.0;  // apply(): adding and scaling the shards' gradients, and their norm
    double update = 0.0;     // apply(): clipping, the optimiser, the moving average
    double forward = 0.0;
    double backward = 0.0;

    // The time spent since `before`.
    StepSeconds since(const StepSeconds& before) const;
};

// Updates the weights with several workers. A batch is cut into training.shards shards. Each shard has its own gradient
// vector, filled by whichever worker takes the shard; the vectors are added in shard order. So the result is
// bit-identical for any number of workers.
class GradientStep {
public:
    // REQUIRES: config, vectors and pool outlive this.
    GradientStep(const Config& config, const VocabularySizes& sizes, TrainingVectors& vectors,
                 const SpecialIdPair& special, WorkerPool& pool);

    // Runs forward and backward on one batch and adds its gradient to the sum. `key` is the source of all dropout
    // masks. Shards that do not fit in memory side by side are computed one after another, which changes no bit. A
    // shard that does not fit even then is cut in two, in four, and so on down to single sentences, with dropout masks
    // of their own: the sum differs only by rounding and the masks. Rethrows LibTorch's error if a single sentence is
    // too much. The weights may be changed between two updates, but not between the batches of one.
    void accumulate(const Batch& batch, std::uint64_t key);

    // Divides by tokens or sentences, clips, updates the weights and their average, and starts a new sum. t, from 1, is
    // the number of this update among those that were applied.
    UpdateSums apply(double learning_rate, std::int64_t t);

    // The ids of those sentences of a batch whose own loss is not finite with the weights as they are.
    std::vector<std::int64_t> sentences_not_finite(const Batch& batch) const;

    const StepSeconds& seconds() const { return seconds_; }

private:
    struct ShardResult {
        double objective = 0.0;
        double negative_log_prob = 0.0;
        std::int64_t tokens = 0;
        std::int64_t sentences = 0;
        double forward_seconds = 0.0;
        double backward_seconds = 0.0;

        ShardResult& operator+=(const ShardResult& other);
    };

    // A batch of the current update, kept until the update is done: a shard that ran out of memory leaves its gradient
    // half-written, and everything that went into it is recomputed.
    struct Taken {
        std::vector<Batch> shards;
        std::uint64_t key = 0;
    };

    ShardResult compute_shard(const Batch& shard, std::int64_t index, int worker, std::uint64_t key);
    ShardResult compute_in_parts(const Taken& taken, std::int64_t index, std::int64_t parts);
    ShardResult compute_again(std::int64_t index, std::int64_t parts);
    std::int64_t most_sentences(std::int64_t index) const;
    double reduce(double scale);
    bool update_weights(double clip, double learning_rate, std::int64_t t);

    const Config& config_;
    TrainingVectors& vectors_;
    SpecialIdPair special_;
    WorkerPool& pool_;
    std::vector<std::shared_ptr<Seq2Seq>> replicas_;  // one per worker
    PackedWeights packed_;                            // shared by all workers; repacked for each update
    std::vector<at::Tensor> gradients_;               // [P], one per shard
    std::vector<bool> used_;                          // per shard: whether its vector holds anything
    std::vector<Taken> taken_;                        // the batches of this update
    std::int64_t slice_;                              // elements per task of the reduction
    UpdateSums sums_;
    StepSeconds seconds_;
};

}  // namespace softalign
