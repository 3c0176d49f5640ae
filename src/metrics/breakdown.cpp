#include "metrics/breakdown.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "metrics/tokenizers.h"

namespace softalign {

namespace {

constexpr std::size_t length_step = 10;
constexpr std::size_t last_length_bucket = 5;  // 51 words and more

struct FrequencyBucket {
    std::int64_t least;
    const char* label;
};

constexpr std::array<FrequencyBucket, 6> frequency_buckets{
    {{0, "0"}, {1, "1"}, {2, "2-9"}, {10, "10-99"}, {100, "100-999"}, {1000, "1000+"}}};

std::size_t frequency_bucket(std::int64_t count) {
    std::size_t bucket = 0;
    while (bucket + 1 < frequency_buckets.size() && frequency_buckets[bucket + 1].least <= count) {
        ++bucket;
    }
    return bucket;
}

std::vector<std::string> words_of(std::string_view text, const BleuOptions& options) {
    const std::string line = options.lowercase ? to_lower(text) : std::string(text);
    const std::string tokenized = tokenize_for_bleu(strip_right(line), options.tokenizer);
    std::vector<std::string> words;
    for (const std::string_view word : split_words(tokenized)) {
        words.emplace_back(word);
    }
    return words;
}

std::int64_t frequency_of(const WordCounts& training, const std::string& word) {
    const auto found = training.find(word);
    return found == training.end() ? 0 : found->second;
}

// Between the group and its figures, the system's name stands where there are several.
void add_system_column(const BreakdownInput& input, Table& table) {
    if (input.systems.size() > 1) {
        table.columns.emplace_back("system");
    }
}

// A row for each group of sentences that is not empty and each system.
Table scores_of_groups(const BreakdownInput& input, const std::vector<std::vector<std::size_t>>& groups,
                       const std::vector<std::string>& labels, const std::string& what) {
    Table table;
    table.columns = {what, "sentences"};
    add_system_column(input, table);
    for (const TextMetric* metric : input.metrics) {
        table.columns.push_back(metric->name());
    }
    table.columns.emplace_back("length ratio");
    for (std::size_t group = 0; group < groups.size(); ++group) {
        for (const ScoredSystem& system : input.systems) {
            if (groups[group].empty()) {
                continue;
            }
            std::vector<nlohmann::ordered_json> row{labels[group], groups[group].size()};
            if (input.systems.size() > 1) {
                row.emplace_back(system.name);
            }
            for (std::size_t m = 0; m < input.metrics.size(); ++m) {
                row.emplace_back(input.metrics[m]->score(system.statistics[m]->sums(groups[group]).data()));
            }
            const std::vector<double> lengths = system.lengths->sums(groups[group]);
            row.push_back(lengths[1] > 0 ? nlohmann::ordered_json(lengths[0] / lengths[1]) : nlohmann::ordered_json());
            table.rows.push_back(row);
        }
    }
    return table;
}

struct Matches {
    std::int64_t in_hypothesis = 0;
    std::int64_t in_reference = 0;
    std::int64_t both = 0;
};

using Bag = std::map<std::string, std::int64_t>;

Bag bag_of(std::string_view text, const BleuOptions& options) {
    Bag bag;
    for (const std::string& word : words_of(text, options)) {
        ++bag[word];
    }
    return bag;
}

// Of each word the greatest count in a reference.
Bag reference_bag(const std::vector<std::string_view>& references, const BleuOptions& options) {
    Bag greatest;
    for (const std::string_view reference : references) {
        for (const auto& [word, count] : bag_of(reference, options)) {
            greatest[word] = std::max(greatest[word], count);
        }
    }
    return greatest;
}

using BucketMatches = std::array<Matches, frequency_buckets.size()>;

BucketMatches match_words(const BreakdownInput& input, const ScoredSystem& system, const WordCounts& training) {
    BucketMatches buckets;
    for (std::size_t i = 0; i < input.references->size(); ++i) {
        const Bag wanted = reference_bag(input.references->sentence(i), input.words);
        for (const auto& [word, count] : wanted) {
            buckets[frequency_bucket(frequency_of(training, word))].in_reference += count;
        }
        for (const auto& [word, count] : bag_of((*system.lines)[i], input.words)) {
            Matches& matches = buckets[frequency_bucket(frequency_of(training, word))];
            matches.in_hypothesis += count;
            const auto found = wanted.find(word);
            matches.both += found == wanted.end() ? 0 : std::min(count, found->second);
        }
    }
    return buckets;
}

nlohmann::ordered_json percent(std::int64_t part, std::int64_t whole) {
    if (whole == 0) {
        return nullptr;
    }
    return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

WordCounts count_words(const std::vector<std::string>& lines, const BleuOptions& words) {
    WordCounts counts;
    for (const std::string& line : lines) {
        for (std::string& word : words_of(line, words)) {
            ++counts[std::move(word)];
        }
    }
    return counts;
}

Table by_length(const BreakdownInput& input, const std::vector<std::string>& texts, const std::string& what) {
    std::vector<std::vector<std::size_t>> groups(last_length_bucket + 1);
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < last_length_bucket; ++i) {
        labels.push_back(std::to_string(i * length_step + (i == 0 ? 0 : 1)) + "-" +
                         std::to_string((i + 1) * length_step));
    }
    labels.push_back(std::to_string(last_length_bucket * length_step + 1) + "+");
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::size_t length = words_of(texts[i], input.words).size();
        const std::size_t bucket = length == 0 ? 0 : (length - 1) / length_step;
        groups[std::min(bucket, last_length_bucket)].push_back(i);
    }
    Table table = scores_of_groups(input, groups, labels, "words");
    table.title = "By the length of the " + what;
    return table;
}

Table by_rarest_word(const BreakdownInput& input, const std::vector<std::string>& source, const WordCounts& training) {
    std::vector<std::vector<std::size_t>> groups(frequency_buckets.size() + 1);
    std::vector<std::string> labels;
    for (const FrequencyBucket& bucket : frequency_buckets) {
        labels.emplace_back(bucket.label);
    }
    labels.emplace_back("no words");
    for (std::size_t i = 0; i < source.size(); ++i) {
        const std::vector<std::string> words = words_of(source[i], input.words);
        std::int64_t rarest = frequency_buckets.back().least;
        for (const std::string& word : words) {
            rarest = std::min(rarest, frequency_of(training, word));
        }
        groups[words.empty() ? frequency_buckets.size() : frequency_bucket(rarest)].push_back(i);
    }
    Table table = scores_of_groups(input, groups, labels, "times seen");
    table.title = "By how often the source's rarest word is in the training text";
    return table;
}

Table by_word_frequency(const BreakdownInput& input, const WordCounts& training) {
    Table table;
    table.title = "Words of the target language by how often they are in the training text";
    table.columns = {"times seen", "in references"};
    add_system_column(input, table);
    std::vector<BucketMatches> systems;
    for (const ScoredSystem& system : input.systems) {
        systems.push_back(match_words(input, system, training));
    }
    table.columns.insert(table.columns.end(), {"precision", "recall", "F"});
    for (std::size_t bucket = 0; bucket < frequency_buckets.size(); ++bucket) {
        for (std::size_t i = 0; i < systems.size(); ++i) {
            const Matches& matches = systems[i][bucket];
            std::vector<nlohmann::ordered_json> row{frequency_buckets[bucket].label, matches.in_reference};
            if (systems.size() > 1) {
                row.emplace_back(input.systems[i].name);
            }
            row.push_back(percent(matches.both, matches.in_hypothesis));
            row.push_back(percent(matches.both, matches.in_reference));
            row.push_back(percent(2 * matches.both, matches.in_hypothesis + matches.in_reference));
            table.rows.push_back(row);
        }
    }
    return table;
}

}  // namespace softalign
