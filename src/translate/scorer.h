#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/precision.h"
#include "data/batch.h"
#include "ops/packed_weights.h"
#include "platform/helpers.h"
#include "platform/worker_pool.h"
#include "text/tokenizer.h"
#include "translate/batching.h"
#include "translate/ensemble.h"

namespace softalign {

struct ScoreOptions {
    std::int64_t batch_size = 64;  // pairs
    int workers = 1;
    Precision precision = Precision::float32;  // of the products on the CPU
    // Score some of the batches, with Scorer::answer of the same models and options; null: none.
    Helpers* helpers = nullptr;
};

// Throws Error(configuration) for options out of range; `use` names them ("scoring").
ScoreOptions checked(const ScoreOptions& options, const std::string& use);

struct SentencePair {
    std::string source;  // or the name of an array (data/feature_array.h) for models of features
    std::string target;
};

// The natural-log probability of a given translation under a model or an ensemble.
struct PairScore {
    double log_prob = 0.0;               // sum over the pieces and the end of sentence
    std::vector<std::int32_t> ids;       // the pieces and eos
    std::vector<float> token_log_probs;  // of `ids`
};

// Scores raw sentence pairs. One call at a time; call it repeatedly to process a long text in parts.
class Scorer {
public:
    // REQUIRES: models and tokenizers outlive this, and the weights stay as they are. Throws Error(configuration) for
    // options out of range.
    Scorer(const Ensemble& ensemble, const ScoreOptions& options);

    // A single model.
    Scorer(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target, const ScoreOptions& options);

    // Arrays are read when their batch is scored. Scores the pairs in batches of similar length on the worker threads;
    // the scores come in the order of the pairs. An empty or blank side is just the end of sentence. Nothing is cut.
    // Tokens are in text order. The other pairs and the workers affect a score at most by the rounding of
    // floating-point sums. Errors in a worker are thrown here, including Error(numerical) if a probability is NaN.
    // Throws Error(data), naming the pair by its number from 1 over all calls, if the source pieces times the target
    // pieces are more than 100 * 2^20, or an array cannot be read.
    std::vector<PairScore> score(const std::vector<SentencePair>& pairs);

    // The answer to a request of another scorer, whose helper this is (ScoreOptions::helpers). Throws like score().
    std::string answer(const std::string& request);

private:
    // A pair.
    struct Encoded {
        std::vector<Example> examples;  // as each model reads it, without features; the target is the same for all
        std::string array;              // the name of its features
        std::int64_t number = 0;        // over all calls, from 1
        std::int64_t length = 0;        // of its longest side
    };

    Encoded encode(const SentencePair& pair, std::int64_t number) const;
    BatchHelp help_with(const std::vector<SentencePair>& pairs, std::vector<PairScore>& scores) const;
    std::vector<std::string> answer_scores(const std::vector<std::string>& batches);
    void score_batch(const std::vector<std::size_t>& batch, const std::vector<Encoded>& pairs,
                     std::vector<PairScore>& scores) const;
    at::Tensor token_log_probs(const std::vector<std::size_t>& batch, const std::vector<Encoded>& pairs) const;

    Ensemble ensemble_;
    ScoreOptions options_;
    WorkerPool pool_;
    std::unique_ptr<PackedWeights> rounded_;
    std::int64_t scored_ = 0;
};

}  // namespace softalign
