#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/edit_rate.h"
#include "metrics/ngrams.h"
#include "metrics/ter_edits.h"
#include "metrics/text_metric.h"
#include "metrics/tokenizers.h"

namespace softalign {

namespace {

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
        statistics[0] = static_cast<double>(fewest);
        statistics[1] = average_length_;
    }

private:
    const TerOptions options_;
    WordTable table_;
    std::vector<std::string> texts_;  // the table points into them
    std::vector<TerEdits> edits_;
    std::vector<Symbol> symbols_;
    double average_length_ = 0.0;
};

std::string yes_or_no(bool value) {
    return value ? "yes" : "no";
}

class Ter : public EditRate {
public:
    explicit Ter(const TerOptions& options) : options_(options) {}

    std::string key() const override { return "ter"; }
    std::string name() const override { return "TER"; }
    std::unique_ptr<SentenceScorer> scorer() const override { return std::make_unique<TerScorer>(options_); }

    std::string signature(const SignatureFacts& facts) const override {
        return signature_start(facts) + "|case:" + (options_.case_sensitive ? "mixed" : "lc") +
               "|tok:tercom|norm:" + yes_or_no(options_.normalized) + "|punct:" + yes_or_no(!options_.no_punctuation) +
               "|asian:" + yes_or_no(options_.asian_support) + "|version:" + sacrebleu_version;
    }

private:
    const TerOptions options_;
};

}  // namespace

std::unique_ptr<TextMetric> make_ter(const TerOptions& options) {
    return std::make_unique<Ter>(options);
}

}  // namespace softalign
