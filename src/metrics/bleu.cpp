#include "metrics/bleu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "metrics/format.h"
#include "metrics/ngrams.h"
#include "metrics/statistics.h"
#include "metrics/tokenizers.h"

namespace softalign {

namespace {

constexpr std::size_t orders = 4;
// Where the statistics of a sentence are.
constexpr std::size_t hypothesis_length_at = 0;
constexpr std::size_t reference_length_at = 1;
constexpr std::size_t correct_at = 2;
constexpr std::size_t total_at = correct_at + orders;
constexpr std::size_t statistics_width = total_at + orders;
// What sacreBLEU takes for the logarithm of zero.
constexpr double log_of_zero = -9999999999.0;

double smooth_value_of(const BleuOptions& options) {
    if (options.smooth_value >= 0.0) {
        return options.smooth_value;
    }
    return options.smoothing == BleuSmoothing::floor ? 0.1 : 1.0;
}

// The length closest to the hypothesis's; the shorter of two that are equally close.
std::int64_t closest_length(std::int64_t hypothesis, const std::vector<std::int64_t>& references) {
    return *std::min_element(references.begin(), references.end(), [hypothesis](std::int64_t a, std::int64_t b) {
        return std::make_pair(std::abs(a - hypothesis), a) < std::make_pair(std::abs(b - hypothesis), b);
    });
}

class BleuScorer : public SentenceScorer {
public:
    explicit BleuScorer(const BleuOptions& options) : options_(options), matcher_(orders) {}

    void set_references(const std::vector<std::string_view>& references) override {
        table_.clear();
        matcher_.clear();
        lengths_.clear();
        texts_.resize(references.size());
        for (std::size_t i = 0; i < references.size(); ++i) {
            texts_[i] = tokenized(references[i]);  // stays: the table points into it
            symbols_.clear();
            for (const std::string_view word : split_words(texts_[i])) {
                symbols_.push_back(table_.add(word));
            }
            matcher_.add_reference(symbols_);
            lengths_.push_back(static_cast<std::int64_t>(symbols_.size()));
        }
    }

    void compare(std::string_view hypothesis, double* statistics) override {
        const std::string text = tokenized(hypothesis);
        symbols_.clear();
        for (const std::string_view word : split_words(text)) {
            symbols_.push_back(table_.find(word));
        }
        const auto length = static_cast<std::int64_t>(symbols_.size());
        statistics[hypothesis_length_at] = static_cast<double>(length);
        statistics[reference_length_at] = static_cast<double>(closest_length(length, lengths_));
        matcher_.count_matches(symbols_, statistics + correct_at);
        for (std::size_t i = 0; i < orders; ++i) {
            statistics[total_at + i] =
                static_cast<double>(std::max<std::int64_t>(0, length - static_cast<std::int64_t>(i)));
        }
    }

private:
    std::string tokenized(std::string_view sentence) const {
        if (options_.lowercase) {
            return tokenize_for_bleu(strip_right(to_lower(sentence)), options_.tokenizer);
        }
        return tokenize_for_bleu(strip_right(sentence), options_.tokenizer);
    }

    const BleuOptions options_;
    WordTable table_;
    NgramMatcher matcher_;
    std::vector<std::int64_t> lengths_;
    std::vector<std::string> texts_;
    std::vector<Symbol> symbols_;
};

double brevity_penalty(double hypothesis_length, double reference_length) {
    if (hypothesis_length >= reference_length) {
        return 1.0;
    }
    if (hypothesis_length == 0.0) {
        return 0.0;
    }
    return std::exp(1.0 - reference_length / hypothesis_length);
}

template <class Real>
struct Precisions {
    std::array<Real, orders> percent{};
    std::size_t order = orders;  // to average over
};

// In percent, smoothed (Chen and Cherry 2014); Real is the type that the sums are in.
template <class Real>
Precisions<Real> smoothed_precisions(const Real* sums, const BleuOptions& options) {
    const double value = smooth_value_of(options);
    Precisions<Real> result;
    double divisor = 1.0;  // exp: doubled for each order without a match
    for (std::size_t i = 0; i < orders; ++i) {
        const auto added = static_cast<Real>(options.smoothing == BleuSmoothing::add_k && i > 0 ? value : 0.0);
        const Real correct = sums[correct_at + i] + added;
        const Real total = sums[total_at + i] + added;
        if (total == Real(0)) {
            break;
        }
        if (options.effective_order) {
            result.order = i + 1;
        }
        if (correct > Real(0)) {
            result.percent[i] = Real(100) * correct / total;
        } else if (options.smoothing == BleuSmoothing::exp) {
            divisor *= 2.0;
            result.percent[i] = Real(100) / (static_cast<Real>(divisor) * total);
        } else if (options.smoothing == BleuSmoothing::floor) {
            result.percent[i] = static_cast<Real>(100.0 * value) / total;
        }
    }
    return result;
}

template <class Real>
bool matches_nothing(const Real* sums) {
    return std::all_of(sums + correct_at, sums + total_at, [](Real count) { return count == Real(0); });
}

template <class Real>
double score_of(const Real* sums, const BleuOptions& options) {
    if (matches_nothing(sums)) {
        return 0.0;
    }
    const Precisions<Real> precisions = smoothed_precisions(sums, options);
    double log_sum = 0.0;
    for (std::size_t i = 0; i < precisions.order; ++i) {
        const auto percent = static_cast<double>(precisions.percent[i]);
        log_sum += percent == 0.0 ? log_of_zero : std::log(percent);
    }
    const double penalty = brevity_penalty(static_cast<double>(sums[hypothesis_length_at]),
                                           static_cast<double>(sums[reference_length_at]));
    return penalty * std::exp(log_sum / static_cast<double>(precisions.order));
}

std::array<std::int64_t, orders> as_counts(const double* values) {
    std::array<std::int64_t, orders> counts{};
    std::transform(values, values + orders, counts.begin(), [](double v) { return static_cast<std::int64_t>(v); });
    return counts;
}

class Bleu : public TextMetric {
public:
    explicit Bleu(const BleuOptions& options) : options_(options) {}

    std::string key() const override { return "bleu"; }
    std::string name() const override { return "BLEU"; }
    std::size_t width() const override { return statistics_width; }
    std::unique_ptr<SentenceScorer> scorer() const override { return std::make_unique<BleuScorer>(options_); }
    double score(const double* sums) const override { return score_of(sums, options_); }
    double float32_score(const float* sums) const override { return score_of(sums, options_); }
    bool has_float32_scores() const override { return false; }

    std::string signature(const SignatureFacts& facts) const override {
        std::string smoothing = bleu_smoothing_name(options_.smoothing);
        if (options_.smoothing == BleuSmoothing::floor || options_.smoothing == BleuSmoothing::add_k) {
            smoothing += "[" + fixed(smooth_value_of(options_), 2) + "]";
        }
        return signature_start(facts) + "|case:" + (options_.lowercase ? "lc" : "mixed") +
               "|eff:" + (options_.effective_order ? "yes" : "no") + "|tok:" + bleu_tokenizer_name(options_.tokenizer) +
               "|smooth:" + smoothing + "|version:" + sacrebleu_version;
    }

    std::string verbose(const double* sums) const override { return verbose_score(full_score(sums)); }

    // As sacreBLEU's object has them: add-k counts what it has added.
    std::string details(const double* sums) const override {
        const BleuScore score = full_score(sums);
        nlohmann::ordered_json report{{"counts", score.correct},
                                      {"totals", score.total},
                                      {"precisions", score.precisions},
                                      {"bp", score.brevity_penalty},
                                      {"sys_len", score.hypothesis_length},
                                      {"ref_len", score.reference_length}};
        if (options_.smoothing == BleuSmoothing::add_k && !matches_nothing(sums)) {
            for (std::size_t i = 1; i < orders; ++i) {
                report["counts"][i] = sums[correct_at + i] + smooth_value_of(options_);
                report["totals"][i] = sums[total_at + i] + smooth_value_of(options_);
            }
        }
        return json_text(report);
    }

    BleuScore full_score(const double* sums) const {
        BleuScore result;
        result.score = score(sums);
        result.correct = as_counts(sums + correct_at);
        result.total = as_counts(sums + total_at);
        if (!matches_nothing(sums)) {
            result.precisions = smoothed_precisions(sums, options_).percent;
        }
        result.brevity_penalty = brevity_penalty(sums[hypothesis_length_at], sums[reference_length_at]);
        result.hypothesis_length = static_cast<std::int64_t>(sums[hypothesis_length_at]);
        result.reference_length = static_cast<std::int64_t>(sums[reference_length_at]);
        return result;
    }

private:
    const BleuOptions options_;
};

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
    return name == "v14" ? BleuTokenizer::intl : find_name<BleuTokenizer>(bleu_tokenizer_names(), name);
}

std::optional<BleuSmoothing> find_bleu_smoothing(std::string_view name) {
    return find_name<BleuSmoothing>(bleu_smoothing_names(), name);
}

std::unique_ptr<TextMetric> make_bleu(const BleuOptions& options) {
    return std::make_unique<Bleu>(options);
}

BleuScore corpus_bleu(const std::vector<std::string>& hypotheses,
                      const std::vector<std::vector<std::string>>& references, const BleuOptions& options) {
    const Bleu metric(options);
    const ReferenceSet set(references, EmptyReferences::count);
    const std::vector<double> sums = system_statistics(metric, set, hypotheses).sums();
    BleuScore score = metric.full_score(sums.data());
    score.signature = metric.signature({set.count(), {}, {}, {}});
    return score;
}

}  // namespace softalign
