#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/seq2seq.h"
#include "ops/packed_weights.h"
#include "platform/worker_pool.h"
#include "text/tokenizer.h"
#include "translate/lexical_counts.h"
#include "translate/scorer.h"

namespace softalign {

// Counts, over sentence pairs, what a model attends to when it is forced to produce the given translation.
class AttentionCounter {
public:
    // Attention weights below this are not counted: they carry no information.
    static constexpr float least_weight = 0.01F;
    // The most of these that one target piece can have, as weights sum to 1.
    static constexpr std::size_t most_weights = 100;

    // The most memory for what is attended to, in bytes; one batch may take more.
    static constexpr std::size_t most_bytes = std::size_t{64} << 20;

    // REQUIRES: model and tokenizers outlive this, and the weights stay as they are. Throws Error(model) where the
    // model has no attention, Error(configuration) for options out of range.
    AttentionCounter(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target,
                     const ScoreOptions& options, std::size_t bytes = most_bytes);

    // Skips pairs with more pieces than this on either side, not counting the end of sentence.
    void limit_lengths(std::int64_t source, std::int64_t target);

    // Adds pairs, in batches of similar length on the worker threads; call it repeatedly to process a long text in
    // parts. What is attended to is held in memory for some batches at a time. Pairs with a blank side are ignored. The
    // end of the source counts as a source piece; the end of the target and the unknown piece, which are always
    // allowed, are not counted. The sums do not depend on the number of workers. Throws Error(numerical) if the model's
    // weights are NaN.
    void add(const std::vector<SentencePair>& pairs);

    const LexicalCounts& counts() const { return counts_; }
    std::int64_t pairs() const { return pairs_; }        // counted
    std::int64_t left_out() const { return left_out_; }  // skipped for their length

private:
    struct Part {
        std::int32_t source;
        std::int32_t target;
        float weight;
    };

    using Batches = std::vector<std::vector<std::size_t>>;

    std::vector<Example> encode(const std::vector<SentencePair>& pairs);
    // The end of the batches from `begin` on whose parts may take `bytes_`, at least one batch.
    std::size_t end_of_group(const Batches& batches, std::size_t begin, const std::vector<Example>& examples) const;
    void count(const Batches& batches, std::size_t begin, std::size_t end, const std::vector<Example>& examples);
    at::Tensor attention(const std::vector<Example>& rows) const;
    std::vector<Part> parts_of(const std::vector<std::size_t>& batch, const std::vector<Example>& examples) const;
    void share_out(std::int32_t target, const float* weights, const std::vector<std::int32_t>& source,
                   std::vector<Part>& parts) const;

    const Seq2Seq& model_;
    const Tokenizer& source_;
    const Tokenizer& target_;
    ScoreOptions options_;
    std::size_t bytes_;
    WorkerPool pool_;
    std::unique_ptr<PackedWeights> rounded_;
    std::int64_t longest_source_;
    std::int64_t longest_target_;
    LexicalCounts counts_;
    std::int64_t pairs_ = 0;
    std::int64_t left_out_ = 0;
};

}  // namespace softalign
