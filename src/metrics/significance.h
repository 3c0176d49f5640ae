#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "metrics/statistics.h"
#include "metrics/text_metric.h"

namespace softalign {

// The mean of the resampled scores and half the width of their 95 % interval.
struct Confidence {
    double mean = 0.0;
    double interval = 0.0;
};

struct TestResult {
    double score = 0.0;
    std::optional<double> p_value;  // against the first system; not for that system itself
    std::optional<Confidence> confidence;
};

struct ResamplingOptions {
    std::int64_t samples = 1000;
    std::uint64_t seed = 12345;
    int threads = 0;  // 0 = as many as the processor has hardware threads
};

// sacreBLEU's tests, with the resamples that numpy draws for the seed and the scores that numpy 2 computes (float32).
// All REQUIRE samples > 0, and statistics of the same sentences for all systems, the first of which is the baseline.

// Bootstrap resampling of one system (Koehn 2004), as `sacrebleu --confidence` does.
Confidence bootstrap_confidence(const TextMetric& metric, const Statistics& system, const ResamplingOptions& options);

// Paired bootstrap resampling (Koehn 2004): sentences are drawn with replacement, the same for both systems.
std::vector<TestResult> paired_bootstrap(const TextMetric& metric, const std::vector<Statistics>& systems,
                                         const ResamplingOptions& options);

// Paired approximate randomisation (Riezler and Maxwell 2005): the outputs of both systems are swapped at random.
// confidence_samples > 0: confidence intervals too, from this number of bootstrap resamples.
std::vector<TestResult> paired_randomization(const TextMetric& metric, const std::vector<Statistics>& systems,
                                             const ResamplingOptions& options, std::int64_t confidence_samples);

}  // namespace softalign
