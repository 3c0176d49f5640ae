#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "metrics/statistics.h"
#include "metrics/text_metric.h"

namespace softalign {

// Mean of resampled scores and half the width of the interval that holds 95 of 100 of them.
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
    int threads = 0;  // 0 = as many as the processor runs at once
};

// sacreBLEU's tests: the resamples are numpy's for the seed, their scores those of numpy 2 (float32 sums).
// All REQUIRE samples > 0, and statistics of the same sentences for all systems, the first of which is the baseline.

// By bootstrap resampling of one system (Koehn 2004), as `sacrebleu --confidence`.
Confidence bootstrap_confidence(const TextMetric& metric, const Statistics& system, const ResamplingOptions& options);

// Paired bootstrap resampling (Koehn 2004): sentences are drawn with replacement, the same for both systems.
std::vector<TestResult> paired_bootstrap(const TextMetric& metric, const std::vector<Statistics>& systems,
                                         const ResamplingOptions& options);

// Paired approximate randomisation (Riezler and Maxwell 2005): the outputs of both systems are swapped at random.
// confidence_samples > 0: confidence intervals by as many bootstrap resamples too.
std::vector<TestResult> paired_randomization(const TextMetric& metric, const std::vector<Statistics>& systems,
                                             const ResamplingOptions& options, std::int64_t confidence_samples);

}  // namespace softalign
