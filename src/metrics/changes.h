#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "metrics/breakdown.h"

namespace softalign {

// A sentence for which a system and the baseline differ.
struct Change {
    std::size_t sentence = 0;  // from 0
    double before = 0.0;       // the baseline's score of the sentence
    double after = 0.0;
};

struct Changes {
    std::vector<Change> gained;  // largest gain first
    std::vector<Change> lost;    // largest loss first
};

// The sentences with the largest gains and losses in sentence score, at most `count` of each. Of equal changes, the
// earlier sentence comes first.
Changes greatest_changes(const TextMetric& metric, const Statistics& baseline, const Statistics& system,
                         std::size_t count);

// As text for the user: each sentence with its number, scores, references and both translations. Every line ends in LF.
std::string format_changes(const Changes& changes, const TextMetric& metric, const ScoredSystem& baseline,
                           const ScoredSystem& system, const ReferenceSet& references,
                           const std::vector<std::string>* source, int digits);
nlohmann::ordered_json changes_as_json(const Changes& changes, const TextMetric& metric, const ScoredSystem& baseline,
                                       const ScoredSystem& system, const ReferenceSet& references,
                                       const std::vector<std::string>* source);

}  // namespace softalign
