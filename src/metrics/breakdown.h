#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "metrics/bleu.h"
#include "metrics/format.h"
#include "metrics/statistics.h"
#include "metrics/text_metric.h"

namespace softalign {

// Input for a system's breakdown. `statistics` has one entry per metric; `lengths` are its BLEU statistics.
struct ScoredSystem {
    std::string name;
    const std::vector<std::string>* lines = nullptr;
    std::vector<const Statistics*> statistics;
    const Statistics* lengths = nullptr;
};

struct BreakdownInput {
    std::vector<const TextMetric*> metrics;
    std::vector<ScoredSystem> systems;
    const ReferenceSet* references = nullptr;
    BleuOptions words;  // defines words: the tokenizer, and whether case matters
};

// Counts of words, split as for BLEU.
using WordCounts = std::unordered_map<std::string, std::int64_t>;
WordCounts count_words(const std::vector<std::string>& lines, const BleuOptions& words);

// Scores and length ratios of sentences with 1-10, 11-20, ... words in `texts`, called `what` in the title.
Table by_length(const BreakdownInput& input, const std::vector<std::string>& texts, const std::string& what);

// Scores of sentences by how often the rarest word of their source is in the training text.
Table by_rarest_word(const BreakdownInput& input, const std::vector<std::string>& source, const WordCounts& training);

// Precision, recall and F of single words of the target language, by how often they are in the training text.
Table by_word_frequency(const BreakdownInput& input, const WordCounts& training);

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
