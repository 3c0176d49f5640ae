#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "data/batch.h"
#include "distributed/group.h"
#include "platform/worker_pool.h"
#include "train/run_data.h"

namespace softalign {

// The score that a metric gives the translations.
struct ValidationScore {
    Metric metric = Metric::bleu;
    double score = 0.0;
    std::string signature;
};

struct ValidationResult {
    double cross_entropy = 0.0;             // nats per target token, end-of-sentence included, no smoothing
    double perplexity = 0.0;                // exp(cross_entropy)
    std::vector<ValidationScore> scores;    // of the translations, if requested and the loss is finite
    std::vector<std::string> translations;  // of all validation sentences
    std::int64_t computed_again = 0;        // batches whose loss ran out of memory the first time
    double seconds = 0.0;

    // NaN if there is none.
    double value(Metric metric) const;
};

// Whether `value` is better than `than`: higher BLEU or chrF, lower otherwise; any number is better than NaN.
bool is_better(Metric metric, double value, double than);

// Scores a model on the validation data: the teacher-forced loss, and the scores of a real beam search on raw text, by
// the code that `softalign evaluate` runs.
class Validator {
public:
    // REQUIRES: data, pool and group outlive the validator; there is validation data.
    Validator(const Config& config, const RunData& data, WorkerPool& pool, Group& group = one_process());

    // Every process of the group does its share, and all get the same result. Batches that run out of memory are
    // recomputed alone and in parts; a warning reports them.
    ValidationResult run(Seq2Seq& model) const;

private:
    void score_references(const Seq2Seq& model, ValidationResult& result) const;
    void score_translations(Seq2Seq& model, ValidationResult& result) const;

    const Config& config_;
    const RunData& data_;
    WorkerPool& pool_;
    Group& group_;
    std::vector<std::vector<std::int64_t>> batches_;  // indices of the corpus
    std::int64_t tokens_ = 0;
};

}  // namespace softalign
