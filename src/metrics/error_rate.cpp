#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/edit_distance.h"
#include "metrics/edit_rate.h"
#include "metrics/ngrams.h"
#include "metrics/text_metric.h"
#include "metrics/tokenizers.h"

namespace softalign {

namespace {

class ErrorRateScorer : public SentenceScorer {
public:
    ErrorRateScorer(ErrorUnit unit, const ErrorRateOptions& options) : unit_(unit), options_(options) {}

    void set_references(const std::vector<std::string_view>& references) override {
        units_.clear();
        texts_.clear();
        for (const std::string_view reference : references) {
            texts_.push_back(normal_form(reference));
        }
        references_.clear();
        for (const std::string& text : texts_) {
            references_.emplace_back();
            for (const std::string_view unit : units_of(text)) {
                references_.back().push_back(units_.add(unit));
            }
        }
    }

    void compare(std::string_view hypothesis, double* statistics) override {
        const std::string text = normal_form(hypothesis);
        std::vector<Symbol> symbols;
        for (const std::string_view unit : units_of(text)) {
            symbols.push_back(units_.find(unit));  // 0, which no reference has, for a unit that is in none
        }
        bool first = true;
        for (const std::vector<Symbol>& reference : references_) {
            const auto edits = static_cast<double>(distance_.between(reference, symbols));
            const auto length = static_cast<double>(reference.size());
            if (first || edits < statistics[0] || (edits == statistics[0] && length > statistics[1])) {
                statistics[0] = edits;
                statistics[1] = length;
            }
            first = false;
        }
    }

private:
    std::string normal_form(std::string_view text) const {
        text = strip(text);
        return normalize_nfc(options_.lowercase ? to_lower(text) : std::string(text));
    }

    std::vector<std::string_view> units_of(std::string_view text) const {
        if (unit_ == ErrorUnit::word) {
            return split_words(text);
        }
        std::vector<std::string_view> characters;
        for (std::size_t at = 0; at < text.size(); at += characters.back().size()) {
            characters.push_back(text.substr(at, sequence_length(text, at)));
        }
        return characters;
    }

    const ErrorUnit unit_;
    const ErrorRateOptions options_;
    WordTable units_;
    std::vector<std::string> texts_;  // the table points into them
    std::vector<std::vector<Symbol>> references_;
    EditDistance distance_;
};

class ErrorRate : public EditRate {
public:
    ErrorRate(ErrorUnit unit, const ErrorRateOptions& options) : unit_(unit), options_(options) {}

    std::string key() const override { return unit_ == ErrorUnit::character ? "cer" : "wer"; }
    std::string name() const override { return unit_ == ErrorUnit::character ? "CER" : "WER"; }
    std::unique_ptr<SentenceScorer> scorer() const override {
        return std::make_unique<ErrorRateScorer>(unit_, options_);
    }
    std::string signature(const SignatureFacts& facts) const override {
        return signature_start(facts) + "|case:" + (options_.lowercase ? "lc" : "mixed") + "|norm:nfc|ref:closest";
    }

private:
    const ErrorUnit unit_;
    const ErrorRateOptions options_;
};

}  // namespace

std::unique_ptr<TextMetric> make_error_rate(ErrorUnit unit, const ErrorRateOptions& options) {
    return std::make_unique<ErrorRate>(unit, options);
}

}  // namespace softalign
