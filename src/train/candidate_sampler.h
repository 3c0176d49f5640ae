#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "config/config.h"
#include "data/batch.h"
#include "metrics/text_metric.h"
#include "model/seq2seq.h"
#include "ops/execution.h"
#include "search/options.h"
#include "text/tokenizer.h"

namespace softalign {

// Draws the translations that minimum risk training compares, and says how bad each is.
class CandidateSampler {
public:
    // REQUIRES: config and target outlive this; config.training.minimum_risk.samples > 0.
    CandidateSampler(const Config& config, const Tokenizer& target, const SpecialIdPair& special);

    // For each sentence its reference, then the samples without those that are there already; only the reference where
    // the model gives no numbers to draw from. They are drawn without dropout, and are a function of the key, of the
    // sentence's id and of the weights. The risk of each is 1 - score / 100 of its text.
    CandidateBatch draw(const Seq2Seq& model, const Batch& batch, std::uint64_t key, const Execution& execution) const;

private:
    using Translations = std::vector<std::vector<std::int32_t>>;

    // Of each sentence, in text order.
    std::vector<Translations> samples(const Seq2Seq& model, const Batch& batch, const SourceBatch& source,
                                      std::uint64_t key, const Execution& execution) const;

    const Config& config_;
    const Tokenizer& target_;
    SpecialIdPair special_;
    SearchOptions options_;
    std::unique_ptr<TextMetric> metric_;
};

}  // namespace softalign
