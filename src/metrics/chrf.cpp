#include "metrics/text_metric.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/ngrams.h"
#include "metrics/tokenizers.h"

namespace softalign {

namespace {

constexpr double epsilon = 1e-16;
// An order's numbers among the statistics.
constexpr std::size_t numbers = 3;
constexpr std::size_t hypothesis_at = 0;
constexpr std::size_t reference_at = 1;
constexpr std::size_t match_at = 2;

std::size_t order_count(const ChrfOptions& options) {
    return static_cast<std::size_t>(options.character_order + options.word_order);
}

// The F score of counts as sacreBLEU computes it; Real is the type that the counts are in.
template <class Real>
Real f_score(const Real* counts, const ChrfOptions& options) {
    const std::size_t orders = order_count(options);
    const auto factor = static_cast<Real>(options.beta * options.beta);
    const Real one_and_factor = Real(1) + factor;
    Real smoothed = 0;
    Real precision_sum = 0;
    Real recall_sum = 0;
    int used = 0;
    for (std::size_t i = 0; i < orders; ++i, counts += numbers) {
        const Real hypothesis = counts[hypothesis_at];
        const Real reference = counts[reference_at];
        const Real precision = hypothesis > 0 ? counts[match_at] / hypothesis : static_cast<Real>(epsilon);
        const Real recall = reference > 0 ? counts[match_at] / reference : static_cast<Real>(epsilon);
        const Real denominator = factor * precision + recall;
        smoothed += denominator > 0 ? one_and_factor * precision * recall / denominator : static_cast<Real>(epsilon);
        if (hypothesis > 0 && reference > 0) {
            precision_sum += precision;
            recall_sum += recall;
            ++used;
        }
    }
    if (options.epsilon_smoothing) {
        return Real(100) * smoothed / static_cast<Real>(orders);
    }
    const Real precision = used == 0 ? Real(0) : precision_sum / static_cast<Real>(used);
    const Real recall = used == 0 ? Real(0) : recall_sum / static_cast<Real>(used);
    if (precision + recall == Real(0)) {
        return 0;
    }
    return Real(100) * (one_and_factor * precision * recall / (factor * precision + recall));
}

bool is_ascii_punctuation(char c) {
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

// The words, with one punctuation mark taken off the end of a word, or else off its beginning.
std::vector<std::string_view> chrf_words(std::string_view text) {
    std::vector<std::string_view> words;
    for (const std::string_view word : split_words(text)) {
        const bool single = sequence_length(word, 0) == word.size();
        if (!single && is_ascii_punctuation(word.back())) {
            words.push_back(word.substr(0, word.size() - 1));
            words.push_back(word.substr(word.size() - 1));
        } else if (!single && is_ascii_punctuation(word.front())) {
            words.push_back(word.substr(0, 1));
            words.push_back(word.substr(1));
        } else {
            words.push_back(word);
        }
    }
    return words;
}

class ChrfScorer : public SentenceScorer {
public:
    explicit ChrfScorer(const ChrfOptions& options)
        : options_(options),
          counts_(numbers * order_count(options)),
          best_(counts_.size()),
          matches_(static_cast<std::size_t>(std::max(options.character_order, options.word_order))) {}

    void set_references(const std::vector<std::string_view>& references) override {
        while (references_.size() < references.size()) {
            references_.emplace_back(options_);
        }
        reference_count_ = references.size();
        words_.clear();
        for (std::size_t i = 0; i < references.size(); ++i) {
            Reference& reference = references_[i];
            reference.text = options_.lowercase ? to_lower(references[i]) : std::string(references[i]);
            read_characters(reference.text);
            reference.characters.clear();
            reference.characters.add_reference(characters_);
            reference.length = characters_.size();
            if (options_.word_order > 0) {
                word_symbols_.clear();
                for (const std::string_view word : chrf_words(reference.text)) {
                    word_symbols_.push_back(words_.add(word));
                }
                reference.words.clear();
                reference.words.add_reference(word_symbols_);
                reference.word_length = word_symbols_.size();
            }
        }
    }

    void compare(std::string_view hypothesis, double* statistics) override {
        const std::string lowered = options_.lowercase ? to_lower(hypothesis) : std::string();
        const std::string_view text = options_.lowercase ? std::string_view(lowered) : hypothesis;
        read_characters(text);
        if (options_.word_order > 0) {
            word_symbols_.clear();
            for (const std::string_view word : chrf_words(text)) {
                word_symbols_.push_back(words_.find(word));
            }
        }
        double best = -1.0;
        for (std::size_t i = 0; i < reference_count_; ++i) {
            count(references_[i]);
            const double score = f_score(counts_.data(), options_);
            if (score > best) {
                best = score;
                best_ = counts_;
            }
        }
        std::copy(best_.begin(), best_.end(), statistics);
    }

private:
    struct Reference {
        explicit Reference(const ChrfOptions& options)
            : characters(static_cast<std::size_t>(options.character_order)),
              words(static_cast<std::size_t>(options.word_order)) {}

        std::string text;
        NgramMatcher characters;
        NgramMatcher words;
        std::size_t length = 0;
        std::size_t word_length = 0;
    };

    void read_characters(std::string_view text) {
        const std::u32string decoded = options_.whitespace ? decode_utf8(text) : decode_without_spaces(text);
        characters_.assign(decoded.begin(), decoded.end());
    }

    void count(Reference& reference) {
        double* counts = counts_.data();
        counts = count_orders(reference.characters, characters_, reference.length, options_.character_order, counts);
        count_orders(reference.words, word_symbols_, reference.word_length, options_.word_order, counts);
    }

    // Writes three numbers for each order and gives the place behind them. N-grams of the hypothesis do not count where
    // the reference has none of their order.
    double* count_orders(NgramMatcher& matcher, const std::vector<Symbol>& symbols, std::size_t reference_length,
                         std::int64_t orders, double* counts) {
        matcher.count_matches(symbols, matches_.data());
        for (std::size_t i = 0; i < static_cast<std::size_t>(orders); ++i, counts += numbers) {
            const std::size_t in_hypothesis = symbols.size() > i ? symbols.size() - i : 0;
            const std::size_t in_reference = reference_length > i ? reference_length - i : 0;
            counts[hypothesis_at] = in_reference > 0 ? static_cast<double>(in_hypothesis) : 0.0;
            counts[reference_at] = static_cast<double>(in_reference);
            counts[match_at] = matches_[i];
        }
        return counts;
    }

    const ChrfOptions options_;
    std::vector<double> counts_;
    std::vector<double> best_;
    std::vector<double> matches_;
    std::vector<Reference> references_;  // the first reference_count_ are in use
    std::size_t reference_count_ = 0;
    WordTable words_;
    std::vector<Symbol> characters_;
    std::vector<Symbol> word_symbols_;
};

class Chrf : public TextMetric {
public:
    explicit Chrf(const ChrfOptions& options) : options_(options) {}

    std::string key() const override { return "chrf"; }
    std::string name() const override {
        return "chrF" + std::to_string(options_.beta) + std::string(static_cast<std::size_t>(options_.word_order), '+');
    }
    std::size_t width() const override { return numbers * order_count(options_); }
    std::unique_ptr<SentenceScorer> scorer() const override { return std::make_unique<ChrfScorer>(options_); }
    double score(const double* sums) const override { return f_score(sums, options_); }
    double float32_score(const float* sums) const override { return static_cast<double>(f_score(sums, options_)); }

    std::string signature(const SignatureFacts& facts) const override {
        return signature_start(facts) + "|case:" + (options_.lowercase ? "lc" : "mixed") +
               "|eff:" + (options_.epsilon_smoothing ? "no" : "yes") +
               "|nc:" + std::to_string(options_.character_order) + "|nw:" + std::to_string(options_.word_order) +
               "|space:" + (options_.whitespace ? "yes" : "no") + "|version:" + sacrebleu_version;
    }

private:
    const ChrfOptions options_;
};

}  // namespace

std::unique_ptr<TextMetric> make_chrf(const ChrfOptions& options) {
    return std::make_unique<Chrf>(options);
}

}  // namespace softalign
