#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace softalign {

// The version of sacreBLEU that the scores are identical to; part of the signatures.
constexpr const char* sacrebleu_version = "2.6.0";

// The parts of a signature besides the metric's options.
struct SignatureFacts {
    std::int64_t references = 1;             // per sentence; 0 = it varies
    std::optional<std::int64_t> bootstraps;  // resamples
    std::optional<std::int64_t> trials;      // of approximate randomisation
    std::optional<std::uint64_t> seed;
};

// Compares hypotheses with the references of one sentence. Not thread-safe: use one per thread.
class SentenceScorer {
public:
    SentenceScorer() = default;
    SentenceScorer(const SentenceScorer&) = delete;
    SentenceScorer& operator=(const SentenceScorer&) = delete;
    virtual ~SentenceScorer() = default;

    // REQUIRES: not empty.
    virtual void set_references(const std::vector<std::string_view>& references) = 0;
    // Computes the sufficient statistics of a hypothesis, `width` numbers. REQUIRES: references have been set.
    virtual void compare(std::string_view hypothesis, double* statistics) = 0;
};

// A metric as sacreBLEU computes its own: it adds up the statistics of the sentences, in sentence order, and
// computes a score from the sums.
class TextMetric {
public:
    TextMetric() = default;
    TextMetric(const TextMetric&) = delete;
    TextMetric& operator=(const TextMetric&) = delete;
    virtual ~TextMetric() = default;

    virtual std::string key() const = 0;   // bleu, chrf, ter, cer, wer
    virtual std::string name() const = 0;  // BLEU, chrF2++, TER, CER, WER
    virtual bool higher_is_better() const { return true; }
    virtual std::string signature(const SignatureFacts& facts) const = 0;

    virtual std::size_t width() const = 0;
    virtual std::unique_ptr<SentenceScorer> scorer() const = 0;

    // 0..100; TER, CER and WER can exceed 100.
    virtual double score(const double* sums) const = 0;
    // The same from float32 sums with numpy 2's arithmetic, which sacreBLEU uses for its bootstrap resamples.
    virtual double float32_score(const float* sums) const = 0;
    // Whether float32_score's results are float32 themselves.
    virtual bool has_float32_scores() const { return true; }

    // The text that sacreBLEU prints after the score; empty for most metrics.
    virtual std::string verbose(const double* sums) const;
    // The sums under sacreBLEU's names, as a JSON object; empty if there are none.
    virtual std::string details(const double* sums) const;
};

// "nrefs:1", "nrefs:var|bs:1000|seed:12345".
std::string signature_start(const SignatureFacts& facts);

// The F score of character n-grams (Popović 2015), optionally with word n-grams (chrF++, Popović 2017).
struct ChrfOptions {
    std::int64_t character_order = 6;
    std::int64_t word_order = 0;  // 2 is chrF++
    std::int64_t beta = 2;        // weight of recall relative to precision
    bool whitespace = false;      // count the spaces as characters
    bool lowercase = false;
    bool epsilon_smoothing = false;  // orders without n-grams count as a very small number instead of being ignored
};

// REQUIRES: orders and beta are not negative, and one of the orders is positive.
std::unique_ptr<TextMetric> make_chrf(const ChrfOptions& options);

// The translation edit rate (Snover et al. 2006): insertions, deletions, substitutions and shifts of word sequences,
// per word of the reference. Lower is better.
struct TerOptions {
    bool normalized = false;      // separate punctuation first
    bool no_punctuation = false;  // remove it
    bool asian_support = false;   // of `normalized` and `no_punctuation`: Chinese, Japanese and Korean text too
    bool case_sensitive = false;
};

std::unique_ptr<TextMetric> make_ter(const TerOptions& options);

// The character and the word error rate: the Levenshtein distance (substitutions, deletions and insertions) between
// translation and reference, in characters or words, divided by the length of the reference. Lower is better. Both
// texts are in Unicode's normal form NFC without white space at their ends. Characters are code points, spaces
// included; words are separated by white space. Of several references the one with the smallest distance counts, with
// its length; of those that are equally close, the longest.
enum class ErrorUnit { character, word };

struct ErrorRateOptions {
    bool lowercase = false;  // compare lower-cased text
};

std::unique_ptr<TextMetric> make_error_rate(ErrorUnit unit, const ErrorRateOptions& options);

}  // namespace softalign
