#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "metrics/breakdown.h"

namespace softalign {

// A sentence on which a system differs from the baseline.
struct Change {
    std::size_t sentence = 0;  // from 0
    double before = 0.0;       // the baseline's score of the sentence
    double after = 0.0;
};

struct Changes {
    std::vector<Change> gained;  // the greatest gain first
    std::vector<Change> lost;    // the greatest loss first
};

// The sentences that a system gains and loses most on, at most `count` of each, by the scores of single sentences. Of
// equal changes the earlier sentence comes first.
Changes greatest_changes(const TextMetric& metric, const Statistics& baseline, const Statistics& system,
                         std::size_t count);

// For people: each sentence with its number, scores, references and both translations; every line with its end.
std::string format_changes(const Changes& changes, const TextMetric& metric, const ScoredSystem& baseline,
                           const ScoredSystem& system, const ReferenceSet& references,
                           const std::vector<std::string>* source, int digits);
nlohmann::ordered_json changes_as_json(const Changes& changes, const TextMetric& metric, const ScoredSystem& baseline,
                                       const ScoredSystem& system, const ReferenceSet& references,
                                       const std::vector<std::string>* source);

}  // namespace softalign
