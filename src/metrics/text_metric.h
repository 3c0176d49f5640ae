#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace softalign {

// The sacreBLEU whose scores ours are, as signatures name it.
constexpr const char* sacrebleu_version = "2.6.0";

// What a signature says besides the options of the metric.
struct SignatureFacts {
    std::int64_t references = 1;             // a sentence; 0 = not the same for all sentences
    std::optional<std::int64_t> bootstraps;  // resamples
    std::optional<std::int64_t> trials;      // of approximate randomisation
    std::optional<std::uint64_t> seed;
};

// Compares hypotheses with the references of one sentence. Each thread has its own.
class SentenceScorer {
public:
    SentenceScorer() = default;
    SentenceScorer(const SentenceScorer&) = delete;
    SentenceScorer& operator=(const SentenceScorer&) = delete;
    virtual ~SentenceScorer() = default;

    // REQUIRES: not empty.
    virtual void set_references(const std::vector<std::string_view>& references) = 0;
    // The sufficient statistics of a hypothesis, `width` numbers. REQUIRES: references have been set.
    virtual void compare(std::string_view hypothesis, double* statistics) = 0;
};

// A metric of translations as sacreBLEU computes it: statistics of each sentence, which are added up, and a score of
// their sums. Sums are taken in the order of the sentences.
class TextMetric {
public:
    TextMetric() = default;
    TextMetric(const TextMetric&) = delete;
    TextMetric& operator=(const TextMetric&) = delete;
    virtual ~TextMetric() = default;

    virtual std::string key() const = 0;   // bleu, chrf, ter
    virtual std::string name() const = 0;  // BLEU, chrF2++, TER
    virtual bool higher_is_better() const { return true; }
    virtual std::string signature(const SignatureFacts& facts) const = 0;

    virtual std::size_t width() const = 0;
    virtual std::unique_ptr<SentenceScorer> scorer() const = 0;

    // 0..100, TER above too.
    virtual double score(const double* sums) const = 0;
    // The same as numpy 2 computes it of float32 sums, which is how sacreBLEU scores its bootstrap resamples.
    virtual double float32_score(const float* sums) const = 0;
    // Whether those scores are float32 themselves.
    virtual bool has_float32_scores() const { return true; }

    // What sacreBLEU prints behind the score; empty for most.
    virtual std::string verbose(const double* sums) const;
    // The sums under sacreBLEU's names, as a JSON object; empty where there is nothing to tell.
    virtual std::string details(const double* sums) const;
};

// "nrefs:1", "nrefs:var|bs:1000|seed:12345".
std::string signature_start(const SignatureFacts& facts);

}  // namespace softalign
