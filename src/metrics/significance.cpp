#include "metrics/significance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "metrics/numpy_random.h"
#include "metrics/parallel.h"

namespace softalign {

namespace {

using Indices = std::vector<std::uint32_t>;

// A score of each resample; the indices of one follow those of the other.
std::vector<double> resampled_scores(const TextMetric& metric, const Statistics& system, const Indices& indices,
                                     int threads) {
    const std::size_t width = system.width();
    const std::size_t sentences = system.sentences();
    std::vector<float> rows(sentences * width);
    std::transform(system.row(0), system.row(0) + rows.size(), rows.begin(),
                   [](double value) { return static_cast<float>(value); });
    std::vector<double> scores(indices.size() / sentences);
    in_parallel(scores.size(), threads, [&](std::size_t begin, std::size_t end) {
        std::vector<float> sums(width);
        for (std::size_t sample = begin; sample < end; ++sample) {
            std::fill(sums.begin(), sums.end(), 0.0F);
            for (std::size_t i = 0; i < sentences; ++i) {
                const float* row = rows.data() + indices[sample * sentences + i] * width;
                for (std::size_t k = 0; k < width; ++k) {
                    sums[k] += row[k];
                }
            }
            scores[sample] = metric.float32_score(sums.data());
        }
    });
    return scores;
}

// numpy's sum of an array: eight partial sums, and halves that are multiples of eight where it is long.
template <class Real>
Real pairwise_sum(const Real* values, std::size_t count) {
    constexpr std::size_t lanes = 8;
    constexpr std::size_t longest = 128;
    if (count < lanes) {
        return std::accumulate(values, values + count, Real(0));
    }
    if (count > longest) {
        const std::size_t half = count / 2 - count / 2 % lanes;
        return pairwise_sum(values, half) + pairwise_sum(values + half, count - half);
    }
    Real sums[lanes];
    std::copy(values, values + lanes, sums);
    std::size_t i = lanes;
    for (; i < count - count % lanes; i += lanes) {
        for (std::size_t k = 0; k < lanes; ++k) {
            sums[k] += values[i + k];
        }
    }
    const Real sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    return std::accumulate(values + i, values + count, sum);
}

template <class Real>
Real numpy_mean(const std::vector<Real>& values) {
    return pairwise_sum(values.data(), values.size()) / static_cast<Real>(values.size());
}

// The sum with the rounding errors of its additions (Neumaier 1974).
double exact_mean(const std::vector<double>& values) {
    long double sum = 0.0L;
    long double lost = 0.0L;
    for (const double value : values) {
        const long double next = sum + value;
        lost += std::abs(sum) >= std::abs(value) ? (sum - next) + value : (value - next) + sum;
        sum = next;
    }
    return static_cast<double>((sum + lost) / static_cast<long double>(values.size()));
}

template <class Real>
std::vector<Real> as(const std::vector<double>& values) {
    std::vector<Real> converted(values.size());
    std::transform(values.begin(), values.end(), converted.begin(), [](double v) { return static_cast<Real>(v); });
    return converted;
}

template <class Real>
double half_interval(std::vector<Real> scores) {
    std::sort(scores.begin(), scores.end());
    const std::size_t lower = scores.size() / 40;
    return static_cast<double>(Real(0.5) * (scores[scores.size() - lower - 1] - scores[lower]));
}

template <class Real>
Confidence paired_confidence(const std::vector<double>& scores) {
    std::vector<Real> sorted = as<Real>(scores);
    std::sort(sorted.begin(), sorted.end());
    return {static_cast<double>(numpy_mean(sorted)), half_interval(sorted)};
}

Confidence paired_confidence(const TextMetric& metric, const std::vector<double>& scores) {
    return metric.has_float32_scores() ? paired_confidence<float>(scores) : paired_confidence<double>(scores);
}

double p_value(std::size_t greater, std::size_t samples) {
    return static_cast<double>(greater + 1) / static_cast<double>(samples + 1);
}

template <class Real>
double bootstrap_p_value(const std::vector<double>& baseline, const std::vector<double>& system, double difference) {
    const std::vector<Real> left = as<Real>(baseline);
    const std::vector<Real> right = as<Real>(system);
    std::vector<Real> gaps(left.size());
    std::transform(left.begin(), left.end(), right.begin(), gaps.begin(),
                   [](Real a, Real b) { return std::abs(b - a); });
    const Real mean = numpy_mean(gaps);
    const auto least = static_cast<Real>(difference);
    const auto greater = std::count_if(gaps.begin(), gaps.end(), [&](Real gap) { return gap - mean > least; });
    return p_value(static_cast<std::size_t>(greater), gaps.size());
}

double full_score(const TextMetric& metric, const Statistics& system) {
    return metric.score(system.sums().data());
}

bool are_whole(const Statistics& system) {
    return std::all_of(system.row(0), system.row(0) + system.sentences() * system.width(),
                       [](double value) { return value == std::floor(value); });
}

// A trial: sentences whose bit is set are the baseline's in the first output and the system's in the second.
class Swaps {
public:
    Swaps(const Statistics& baseline, const Statistics& system, const std::vector<std::uint32_t>& bits)
        : baseline_(baseline),
          system_(system),
          bits_(bits),
          baseline_sums_(baseline.sums()),
          system_sums_(system.sums()),
          whole_(are_whole(baseline) && are_whole(system)) {}

    void run(std::size_t trial, std::vector<double>& first, std::vector<double>& second) const {
        if (whole_) {
            swap_whole(trial, first, second);
        } else {
            swap_in_order(trial, first, second);
        }
    }

private:
    bool is_set(std::size_t trial, std::size_t sentence) const {
        const std::size_t bit = trial * system_.sentences() + sentence;
        return (bits_[bit / 32] >> bit % 32 & 1) != 0;
    }

    // Sums of whole numbers are exact in any order.
    void swap_whole(std::size_t trial, std::vector<double>& first, std::vector<double>& second) const {
        first = system_sums_;
        second = baseline_sums_;
        for (std::size_t i = 0; i < system_.sentences(); ++i) {
            if (is_set(trial, i)) {
                const double* from_baseline = baseline_.row(i);
                const double* from_system = system_.row(i);
                for (std::size_t k = 0; k < first.size(); ++k) {
                    const double moved = from_baseline[k] - from_system[k];
                    first[k] += moved;
                    second[k] -= moved;
                }
            }
        }
    }

    // The part of each system from the first sentence to the last, as a matrix product does it.
    void swap_in_order(std::size_t trial, std::vector<double>& first, std::vector<double>& second) const {
        const std::size_t width = system_.width();
        std::vector<double> parts(4 * width, 0.0);
        for (std::size_t i = 0; i < system_.sentences(); ++i) {
            const std::size_t part = is_set(trial, i) ? 0 : 2 * width;
            for (std::size_t k = 0; k < width; ++k) {
                parts[part + k] += baseline_.row(i)[k];
                parts[part + width + k] += system_.row(i)[k];
            }
        }
        first.resize(width);
        second.resize(width);
        for (std::size_t k = 0; k < width; ++k) {
            first[k] = parts[k] + parts[3 * width + k];
            second[k] = parts[2 * width + k] + parts[width + k];
        }
    }

    const Statistics& baseline_;
    const Statistics& system_;
    const std::vector<std::uint32_t>& bits_;
    const std::vector<double> baseline_sums_;
    const std::vector<double> system_sums_;
    const bool whole_;
};

// In how many trials the outputs differ by more than `difference`.
std::size_t count_greater(const TextMetric& metric, const Swaps& swaps, std::size_t trials, double difference,
                          int threads) {
    std::vector<char> greater(trials, 0);
    in_parallel(trials, threads, [&](std::size_t begin, std::size_t end) {
        std::vector<double> first;
        std::vector<double> second;
        for (std::size_t trial = begin; trial < end; ++trial) {
            swaps.run(trial, first, second);
            greater[trial] = std::abs(metric.score(first.data()) - metric.score(second.data())) > difference ? 1 : 0;
        }
    });
    return static_cast<std::size_t>(std::count(greater.begin(), greater.end(), 1));
}

}  // namespace

Confidence bootstrap_confidence(const TextMetric& metric, const Statistics& system, const ResamplingOptions& options) {
    const auto samples = static_cast<std::size_t>(options.samples);
    const Indices indices = NumpyGenerator(options.seed).choices(system.sentences(), samples * system.sentences());
    const std::vector<double> scores = resampled_scores(metric, system, indices, options.threads);
    if (metric.has_float32_scores()) {
        return {static_cast<double>(static_cast<float>(exact_mean(scores))), half_interval(as<float>(scores))};
    }
    return {exact_mean(scores), half_interval(scores)};
}

std::vector<TestResult> paired_bootstrap(const TextMetric& metric, const std::vector<Statistics>& systems,
                                         const ResamplingOptions& options) {
    const std::size_t sentences = systems.front().sentences();
    const Indices indices =
        NumpyGenerator(options.seed).choices(sentences, static_cast<std::size_t>(options.samples) * sentences);
    std::vector<TestResult> results;
    std::vector<double> baseline;
    for (const Statistics& system : systems) {
        const std::vector<double> scores = resampled_scores(metric, system, indices, options.threads);
        TestResult result{full_score(metric, system), {}, paired_confidence(metric, scores)};
        if (results.empty()) {
            baseline = scores;
        } else {
            const double difference = std::abs(results.front().score - result.score);
            result.p_value = metric.has_float32_scores() ? bootstrap_p_value<float>(baseline, scores, difference)
                                                         : bootstrap_p_value<double>(baseline, scores, difference);
        }
        results.push_back(result);
    }
    return results;
}

std::vector<TestResult> paired_randomization(const TextMetric& metric, const std::vector<Statistics>& systems,
                                             const ResamplingOptions& options, std::int64_t confidence_samples) {
    const std::size_t sentences = systems.front().sentences();
    const auto trials = static_cast<std::size_t>(options.samples);
    const std::size_t draws = static_cast<std::size_t>(std::max<std::int64_t>(confidence_samples, 0)) * sentences;
    NumpyGenerator generator(options.seed);
    const std::vector<std::uint32_t> bits = generator.bits(trials * sentences);
    // The systems' resamples are drawn behind the trials, the baseline's afresh.
    const Indices indices = generator.choices(sentences, draws);
    const Indices baseline_indices = NumpyGenerator(options.seed).choices(sentences, draws);
    std::vector<TestResult> results;
    for (const Statistics& system : systems) {
        const bool is_baseline = results.empty();
        TestResult result{full_score(metric, system), {}, {}};
        if (draws > 0) {
            const Indices& drawn = is_baseline ? baseline_indices : indices;
            result.confidence = paired_confidence(metric, resampled_scores(metric, system, drawn, options.threads));
        }
        if (!is_baseline) {
            const double difference = std::abs(results.front().score - result.score);
            result.p_value = p_value(
                count_greater(metric, Swaps(systems.front(), system, bits), trials, difference, options.threads),
                trials);
        }
        results.push_back(result);
    }
    return results;
}

}  // namespace softalign
