#include "metrics/text_metric.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/ngrams.h"
#include "metrics/ter_edits.h"
#include "metrics/tokenizers.h"

namespace softalign {

namespace {

// Where the statistics of a sentence are.
constexpr std::size_t edits_at = 0;
constexpr std::size_t length_at = 1;  // of the references on average
constexpr std::size_t statistics_width = 2;

class TerScorer : public SentenceScorer {
public:
    explicit TerScorer(const TerOptions& options) : options_(options) {}

    void set_references(const std::vector<std::string_view>& references) override {
        table_.clear();
        texts_.resize(references.size());
        edits_.resize(references.size());
        std::vector<std::vector<Symbol>> symbols(references.size());
        std::size_t words = 0;
        for (std::size_t i = 0; i < references.size(); ++i) {
            // sacreBLEU tokenizes references twice, and the second pass may split what the first one separated.
            texts_[i] = tokenize_for_ter(tokenize_for_ter(references[i], options_), options_);
            for (const std::string_view word : split_words(texts_[i])) {
                symbols[i].push_back(table_.add(word));
            }
            words += symbols[i].size();
        }
        for (std::size_t i = 0; i < references.size(); ++i) {
            edits_[i].set_reference(symbols[i], table_.size());
        }
        average_length_ = static_cast<double>(words) / static_cast<double>(references.size());
    }

    void compare(std::string_view hypothesis, double* statistics) override {
        const std::string text = tokenize_for_ter(hypothesis, options_);
        symbols_.clear();
        for (const std::string_view word : split_words(text)) {
            symbols_.push_back(table_.find(word));
        }
        std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
        for (TerEdits& edits : edits_) {
            fewest = std::min(fewest, edits.count(symbols_));
        }
        statistics[edits_at] = static_cast<double>(fewest);
        statistics[length_at] = average_length_;
    }

private:
    const TerOptions options_;
    WordTable table_;
    std::vector<std::string> texts_;  // the table points into them
    std::vector<TerEdits> edits_;
    std::vector<Symbol> symbols_;
    double average_length_ = 0.0;
};

template <class Real>
Real score_of(const Real* sums) {
    if (sums[length_at] > Real(0)) {
        return Real(100) * (sums[edits_at] / sums[length_at]);
    }
    return sums[edits_at] > Real(0) ? Real(100) : Real(0);
}

std::string yes_or_no(bool value) {
    return value ? "yes" : "no";
}

class Ter : public TextMetric {
public:
    explicit Ter(const TerOptions& options) : options_(options) {}

    std::string key() const override { return "ter"; }
    std::string name() const override { return "TER"; }
    bool higher_is_better() const override { return false; }
    std::size_t width() const override { return statistics_width; }
    std::unique_ptr<SentenceScorer> scorer() const override { return std::make_unique<TerScorer>(options_); }
    double score(const double* sums) const override { return score_of(sums); }
    double float32_score(const float* sums) const override { return static_cast<double>(score_of(sums)); }

    std::string signature(const SignatureFacts& facts) const override {
        return signature_start(facts) + "|case:" + (options_.case_sensitive ? "mixed" : "lc") +
               "|tok:tercom|norm:" + yes_or_no(options_.normalized) + "|punct:" + yes_or_no(!options_.no_punctuation) +
               "|asian:" + yes_or_no(options_.asian_support) + "|version:" + sacrebleu_version;
    }

    std::string details(const double* sums) const override {
        return nlohmann::ordered_json{{"num_edits", static_cast<std::int64_t>(sums[edits_at])},
                                      {"ref_length", sums[length_at]}}
            .dump();
    }

private:
    const TerOptions options_;
};

}  // namespace

std::unique_ptr<TextMetric> make_ter(const TerOptions& options) {
    return std::make_unique<Ter>(options);
}

}  // namespace softalign
