#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "metrics/bleu.h"
#include "metrics/statistics.h"
#include "metrics/table.h"
#include "metrics/text_metric.h"

namespace softalign {

// A system's scores in parts. `statistics` has one entry for each metric, `lengths` are its statistics of BLEU.
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
    BleuOptions words;  // what a word is: the tokenizer, and whether case counts
};

// Counts of words as BLEU takes them.
using WordCounts = std::unordered_map<std::string, std::int64_t>;
WordCounts count_words(const std::vector<std::string>& lines, const BleuOptions& words);

// Scores and length ratio of sentences with 1-10, 11-20, ... words in `texts`, which the title names as `what`.
Table by_length(const BreakdownInput& input, const std::vector<std::string>& texts, const std::string& what);

// Scores of sentences by how often the rarest word of their source is in the training text.
Table by_rarest_word(const BreakdownInput& input, const std::vector<std::string>& source, const WordCounts& training);

// Precision, recall and F of single words of the target language, by how often they are in the training text.
Table by_word_frequency(const BreakdownInput& input, const WordCounts& training);

}  // namespace softalign
