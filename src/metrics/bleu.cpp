#include "metrics/bleu.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/error.h"
#include "metrics/bleu_tokenizers.h"
#include "metrics/ngrams.h"
#include "metrics/unicode.h"

namespace softalign {

namespace {

constexpr const char* compatible_version = "2.6.0";
// What sacreBLEU takes for the logarithm of zero.
constexpr double log_of_zero = -9999999999.0;

void check_sizes(const std::vector<std::string>& hypotheses, const std::vector<std::vector<std::string>>& references) {
    if (hypotheses.empty()) {
        throw Error(ExitCode::data, "BLEU needs at least one hypothesis, and there is none");
    }
    if (references.empty()) {
        throw Error(ExitCode::data, "BLEU needs at least one reference stream, and there is none");
    }
    for (std::size_t i = 0; i < references.size(); ++i) {
        if (references[i].size() != hypotheses.size()) {
            throw Error(ExitCode::data, "BLEU needs a reference for every hypothesis: hypotheses " +
                                            std::to_string(hypotheses.size()) + ", lines of reference " +
                                            std::to_string(i + 1) + ": " + std::to_string(references[i].size()));
        }
    }
}

double smooth_value_of(const BleuOptions& options) {
    if (options.smooth_value >= 0.0) {
        return options.smooth_value;
    }
    return options.smoothing == BleuSmoothing::floor ? 0.1 : 1.0;
}

std::string signature_of(const BleuOptions& options, std::size_t reference_count) {
    std::string smoothing = bleu_smoothing_name(options.smoothing);
    if (options.smoothing == BleuSmoothing::floor || options.smoothing == BleuSmoothing::add_k) {
        char value[64];
        std::snprintf(value, sizeof value, "[%.2f]", smooth_value_of(options));
        smoothing += value;
    }
    return "nrefs:" + std::to_string(reference_count) + "|case:" + (options.lowercase ? "lc" : "mixed") +
           "|eff:" + (options.effective_order ? "yes" : "no") + "|tok:" + bleu_tokenizer_name(options.tokenizer) +
           "|smooth:" + smoothing + "|version:" + compatible_version;
}

class SentenceReader {
public:
    explicit SentenceReader(const BleuOptions& options) : options_(options) {}

    // The words of a sentence as BLEU counts them, numbered.
    std::vector<std::uint32_t> words(const std::string& sentence) {
        const std::string lowered = options_.lowercase ? to_lower(sentence) : std::string();
        const std::string_view text = options_.lowercase ? std::string_view(lowered) : std::string_view(sentence);
        const std::string tokenized = tokenize_for_bleu(strip_right(text), options_.tokenizer);
        return index_.ids(split_words(tokenized));
    }

private:
    const BleuOptions& options_;
    WordIndex index_;
};

// The length closest to the hypothesis's; the shorter of two that are equally close.
std::int64_t closest_length(std::int64_t hypothesis, const std::vector<std::int64_t>& references) {
    return *std::min_element(references.begin(), references.end(), [hypothesis](std::int64_t a, std::int64_t b) {
        return std::make_pair(std::abs(a - hypothesis), a) < std::make_pair(std::abs(b - hypothesis), b);
    });
}

// Adds the statistics of one sentence.
void add_sentence(BleuScore& sum, const std::vector<std::uint32_t>& hypothesis,
                  const std::vector<std::vector<std::uint32_t>>& references) {
    NgramCounts reference_counts;
    std::vector<std::int64_t> reference_lengths;
    for (const std::vector<std::uint32_t>& reference : references) {
        const NgramCounts counts = count_ngrams(reference);
        reference_counts = reference_lengths.empty() ? counts : merge_greatest(reference_counts, counts);
        reference_lengths.push_back(static_cast<std::int64_t>(reference.size()));
    }
    const auto matches = clipped_matches(count_ngrams(hypothesis), reference_counts);
    const auto length = static_cast<std::int64_t>(hypothesis.size());
    for (std::size_t i = 0; i < max_ngram_order; ++i) {
        sum.correct[i] += matches[i];
        sum.total[i] += std::max<std::int64_t>(0, length - static_cast<std::int64_t>(i));
    }
    sum.hypothesis_length += length;
    sum.reference_length += closest_length(length, reference_lengths);
}

double brevity_penalty(std::int64_t hypothesis_length, std::int64_t reference_length) {
    if (hypothesis_length >= reference_length) {
        return 1.0;
    }
    if (hypothesis_length == 0) {
        return 0.0;
    }
    return std::exp(1.0 - static_cast<double>(reference_length) / static_cast<double>(hypothesis_length));
}

// Fills in the precisions (Chen and Cherry 2014 for the smoothing) and returns the order to average over.
std::size_t smoothed_precisions(BleuScore& score, const BleuOptions& options) {
    const double value = smooth_value_of(options);
    double divisor = 1.0;  // exp: doubled for each order without a match
    std::size_t order = max_ngram_order;
    for (std::size_t i = 0; i < max_ngram_order; ++i) {
        const double added = options.smoothing == BleuSmoothing::add_k && i > 0 ? value : 0.0;
        const double correct = static_cast<double>(score.correct[i]) + added;
        const double total = static_cast<double>(score.total[i]) + added;
        if (total == 0.0) {
            break;
        }
        if (options.effective_order) {
            order = i + 1;
        }
        if (correct > 0.0) {
            score.precisions[i] = 100.0 * correct / total;
        } else if (options.smoothing == BleuSmoothing::exp) {
            divisor *= 2.0;
            score.precisions[i] = 100.0 / (divisor * total);
        } else if (options.smoothing == BleuSmoothing::floor) {
            score.precisions[i] = 100.0 * value / total;
        }
    }
    return order;
}

void finish(BleuScore& score, const BleuOptions& options) {
    score.brevity_penalty = brevity_penalty(score.hypothesis_length, score.reference_length);
    if (std::all_of(score.correct.begin(), score.correct.end(), [](std::int64_t count) { return count == 0; })) {
        return;
    }
    const std::size_t order = smoothed_precisions(score, options);
    double log_sum = 0.0;
    for (std::size_t i = 0; i < order; ++i) {
        log_sum += score.precisions[i] == 0.0 ? log_of_zero : std::log(score.precisions[i]);
    }
    score.score = score.brevity_penalty * std::exp(log_sum / static_cast<double>(order));
}

template <class Value>
std::optional<Value> find_name(const std::vector<std::string>& names, std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
        return std::nullopt;
    }
    return static_cast<Value>(found - names.begin());
}

}  // namespace

// In the order of the enumerators.
const std::vector<std::string>& bleu_tokenizer_names() {
    static const std::vector<std::string> names{"none", "13a", "intl", "zh", "char"};
    return names;
}

const std::vector<std::string>& bleu_smoothing_names() {
    static const std::vector<std::string> names{"none", "floor", "add-k", "exp"};
    return names;
}

std::string bleu_tokenizer_name(BleuTokenizer tokenizer) {
    return bleu_tokenizer_names()[static_cast<std::size_t>(tokenizer)];
}

std::string bleu_smoothing_name(BleuSmoothing smoothing) {
    return bleu_smoothing_names()[static_cast<std::size_t>(smoothing)];
}

std::optional<BleuTokenizer> find_bleu_tokenizer(std::string_view name) {
    return find_name<BleuTokenizer>(bleu_tokenizer_names(), name);
}

std::optional<BleuSmoothing> find_bleu_smoothing(std::string_view name) {
    return find_name<BleuSmoothing>(bleu_smoothing_names(), name);
}

BleuScore corpus_bleu(const std::vector<std::string>& hypotheses,
                      const std::vector<std::vector<std::string>>& references, const BleuOptions& options) {
    check_sizes(hypotheses, references);
    BleuScore score;
    SentenceReader reader(options);
    std::vector<std::vector<std::uint32_t>> sentence_references(references.size());
    for (std::size_t line = 0; line < hypotheses.size(); ++line) {
        for (std::size_t i = 0; i < references.size(); ++i) {
            sentence_references[i] = reader.words(references[i][line]);
        }
        add_sentence(score, reader.words(hypotheses[line]), sentence_references);
    }
    finish(score, options);
    score.signature = signature_of(options, references.size());
    return score;
}

}  // namespace softalign
