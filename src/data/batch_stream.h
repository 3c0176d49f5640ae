#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "data/batch.h"
#include "data/corpus.h"

namespace softalign {

struct BatchPlanOptions {
    std::int64_t batch_size = 64;
    BatchUnit unit = BatchUnit::sentences;  // tokens: padded target tokens (longest + eos, times sentences)
    std::int64_t sort_window = 20;          // batches
    bool shuffle = true;
    std::uint64_t seed = 1;
    // Of each part of the corpus (CorpusReport::ends): how often an epoch takes its sentences. Empty: each once.
    std::vector<double> weights;
};

// The batches of one epoch as lists of corpus indices: a seeded shuffle of all pairs, or of those that the weights
// take: of a part of n pairs with weight w, epoch e has the places floor(e w n) to floor((e + 1) w n) of an endless
// sequence of shuffles of the part. So over the epochs its pairs come equally often. The shuffle is cut into windows
// that fill sort_window batches each; the sentences of a window sorted by target then source length (ties by shuffled
// position) and cut into the fewest batches, of about equal size; the batches of a window shuffled. Only those of the
// last window may be less than full. A function of the corpus lengths, the options and the epoch alone, so position k
// of epoch e means the same in every run.
std::vector<std::vector<std::int64_t>> plan_epoch(const Corpus& corpus, const BatchPlanOptions& options,
                                                  std::int64_t epoch);

// An endless stream of batches from (epoch, position) on, prepared by a background thread. An exception in that thread
// is rethrown by next().
class BatchStream {
public:
    struct Item {
        Batch batch;
        std::int64_t epoch = 0;     // 0-based
        std::int64_t position = 0;  // of the batch in its epoch, 0-based
        std::int64_t batches_in_epoch = 0;

        bool ends_epoch() const { return position + 1 == batches_in_epoch; }
    };

    // REQUIRES: corpus outlives the stream; prefetch >= 1. `sampling` draws a new segmentation of each sentence each
    // epoch from (seed, epoch, example id).
    BatchStream(const Corpus& corpus, const BatchPlanOptions& options, const SpecialIdPair& special, bool sampling,
                std::int64_t epoch, std::int64_t position, std::int64_t prefetch);
    ~BatchStream();
    BatchStream(const BatchStream&) = delete;
    BatchStream& operator=(const BatchStream&) = delete;

    Item next();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace softalign
