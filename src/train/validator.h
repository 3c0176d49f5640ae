#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "data/batch.h"
#include "platform/worker_pool.h"
#include "train/run_data.h"

namespace softalign {

// What a metric says of the translations.
struct ValidationScore {
    Metric metric = Metric::bleu;
    double score = 0.0;
    std::string signature;
};

struct ValidationResult {
    double cross_entropy = 0.0;             // nats a target token, end-of-sentence included, no smoothing
    double perplexity = 0.0;                // exp(cross_entropy)
    std::vector<ValidationScore> scores;    // of the translations, when they were asked for and the loss is finite
    std::vector<std::string> translations;  // of all validation sentences
    std::int64_t computed_again = 0;        // batches for whose loss memory ran out the first time
    double seconds = 0.0;

    // NaN where there is none.
    double value(Metric metric) const;
};

// Whether a value of the metric beats another: more BLEU or chrF, less of the others, and any number a NaN.
bool is_better(Metric metric, double value, double than);

// Scores a model on the validation data: teacher-forced loss, and scores of a real beam search on raw text by the code
// that `softalign evaluate` runs.
class Validator {
public:
    // REQUIRES: data outlives the validator and has validation data.
    Validator(const Config& config, const RunData& data, WorkerPool& pool);

    // Batches for which there is no memory are computed again alone and in parts; a warning tells of them.
    ValidationResult run(Seq2Seq& model) const;

private:
    void score_references(const Seq2Seq& model, ValidationResult& result) const;
    void score_translations(Seq2Seq& model, ValidationResult& result) const;

    const Config& config_;
    const RunData& data_;
    WorkerPool& pool_;
    std::vector<Batch> batches_;
    std::int64_t tokens_ = 0;
};

}  // namespace softalign
