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

}  // namespace softalign
