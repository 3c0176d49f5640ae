#include "kernels/cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/instruction_sets.h"
#include "kernels/vector_math.h"

namespace softalign {

namespace {

// Sums and maxima are kept in so many lanes, so that they vectorise without the compiler reordering them.
constexpr std::int64_t lanes = 32;

template <typename T>
SOFTALIGN_INLINE double largest_of(const T* __restrict x, std::int64_t count) {
    T largest[lanes];
    std::fill_n(largest, lanes, -std::numeric_limits<T>::infinity());
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            // Written so that NaN stays.
            largest[lane] = largest[lane] > x[i + lane] ? largest[lane] : x[i + lane];
        }
    }
    for (std::int64_t lane = 0; i < count; ++i, ++lane) {
        largest[lane] = largest[lane] > x[i] ? largest[lane] : x[i];
    }
    double result = -std::numeric_limits<double>::infinity();
    for (const T value : largest) {
        result = result > static_cast<double>(value) ? result : static_cast<double>(value);
    }
    return result;
}

template <typename T>
SOFTALIGN_INLINE double dot(const T* __restrict x, const T* __restrict y, std::int64_t count) {
    T sums[lanes] = {};
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            sums[lane] += x[i + lane] * y[i + lane];
        }
    }
    for (std::int64_t lane = 0; i < count; ++i, ++lane) {
        sums[lane] += x[i] * y[i];
    }
    double total = 0.0;
    for (const T sum : sums) {
        total += static_cast<double>(sum);
    }
    return total;
}

// x becomes e^(x - shift); returns the sum.
template <typename T>
SOFTALIGN_INLINE double exponentials(T* __restrict x, T shift, std::int64_t count) {
    T sums[lanes] = {};
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            const T value = vector_exp(x[i + lane] - shift);
            x[i + lane] = value;
            sums[lane] += value;
        }
    }
    for (std::int64_t lane = 0; i < count; ++i, ++lane) {
        x[i] = vector_exp(x[i] - shift);
        sums[lane] += x[i];
    }
    double total = 0.0;
    for (const T sum : sums) {
        total += static_cast<double>(sum);
    }
    return total;
}

template <typename T>
SOFTALIGN_INLINE double sum_of_exponentials(const T* __restrict x, T shift, std::int64_t count) {
    T sums[lanes] = {};
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            sums[lane] += vector_exp(x[i + lane] - shift);
        }
    }
    for (std::int64_t lane = 0; i < count; ++i, ++lane) {
        sums[lane] += vector_exp(x[i] - shift);
    }
    double total = 0.0;
    for (const T sum : sums) {
        total += static_cast<double>(sum);
    }
    return total;
}

template <typename T>
SOFTALIGN_INLINE WordLoss loss_of_row(T* __restrict logits, std::int64_t vocabulary, std::int64_t target,
                                      double epsilon, const T* __restrict spread) {
    const double largest = largest_of(logits, vocabulary);
    const auto truth = static_cast<double>(logits[target]);
    const double smoothed = epsilon > 0.0 ? dot(logits, spread, vocabulary) : 0.0;
    const double sum = exponentials(logits, static_cast<T>(largest), vocabulary);
    const double normalizer = largest + std::log(sum);
    const auto scale = static_cast<T>(1.0 / sum);
    if (epsilon > 0.0) {
        const auto mass = static_cast<T>(epsilon);
        for (std::int64_t i = 0; i < vocabulary; ++i) {
            logits[i] = logits[i] * scale - mass * spread[i];
        }
    } else {
        for (std::int64_t i = 0; i < vocabulary; ++i) {
            logits[i] *= scale;
        }
    }
    logits[target] -= static_cast<T>(1.0 - epsilon);
    return {normalizer - (1.0 - epsilon) * truth - epsilon * smoothed, normalizer - truth};
}

template <typename T>
SOFTALIGN_INLINE void subtract_normalizer(T* __restrict x, std::int64_t count) {
    const double largest = largest_of(x, count);
    const double sum = sum_of_exponentials(x, static_cast<T>(largest), count);
    const auto normalizer = static_cast<T>(largest + std::log(sum));
    for (std::int64_t i = 0; i < count; ++i) {
        x[i] -= normalizer;
    }
}

// KL(P||Q) of log-probabilities.
template <typename T>
SOFTALIGN_INLINE double divergence(const T* __restrict p, const T* __restrict q, std::int64_t count) {
    T sums[lanes] = {};
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            sums[lane] += vector_exp(p[i + lane]) * (p[i + lane] - q[i + lane]);
        }
    }
    for (std::int64_t lane = 0; i < count; ++i, ++lane) {
        sums[lane] += vector_exp(p[i]) * (p[i] - q[i]);
    }
    double total = 0.0;
    for (const T sum : sums) {
        total += static_cast<double>(sum);
    }
    return total;
}

template <typename T>
SOFTALIGN_INLINE WordLoss loss_of_pair(T* __restrict first, T* __restrict second, const PairTarget<T>& of) {
    const std::int64_t count = of.vocabulary;
    subtract_normalizer(first, count);
    subtract_normalizer(second, count);
    const double truth = 0.5 * (static_cast<double>(first[of.target]) + static_cast<double>(second[of.target]));
    const double smoothed =
        of.epsilon > 0.0 ? 0.5 * (dot(first, of.spread, count) + dot(second, of.spread, count)) : 0.0;
    const double forwards = divergence(first, second, count);
    const double backwards = divergence(second, first, count);
    const auto of_first = static_cast<T>(forwards);
    const auto of_second = static_cast<T>(backwards);
    const auto weight = static_cast<T>(0.25 * of.alpha);
    for (std::int64_t i = 0; i < count; ++i) {
        const T p = vector_exp(first[i]);
        const T q = vector_exp(second[i]);
        const T ratio = first[i] - second[i];
        first[i] = T(0.5) * p + weight * (p * (ratio - of_first) + p - q);
        second[i] = T(0.5) * q + weight * (q * (-ratio - of_second) + q - p);
    }
    if (of.epsilon > 0.0) {
        const auto mass = static_cast<T>(0.5 * of.epsilon);
        const T* __restrict spread = of.spread;
        for (std::int64_t i = 0; i < count; ++i) {
            first[i] -= mass * spread[i];
            second[i] -= mass * spread[i];
        }
    }
    first[of.target] -= static_cast<T>(0.5 * (1.0 - of.epsilon));
    second[of.target] -= static_cast<T>(0.5 * (1.0 - of.epsilon));
    return {-(1.0 - of.epsilon) * truth - of.epsilon * smoothed + 0.25 * of.alpha * (forwards + backwards), -truth};
}

}  // namespace

WordLoss cross_entropy_row(float* logits, std::int64_t vocabulary, std::int64_t target, double epsilon,
                           const float* spread) {
    return with_best_instructions(
        [=]() SOFTALIGN_INLINE_BODY { return loss_of_row(logits, vocabulary, target, epsilon, spread); });
}

WordLoss cross_entropy_row(double* logits, std::int64_t vocabulary, std::int64_t target, double epsilon,
                           const double* spread) {
    return loss_of_row(logits, vocabulary, target, epsilon, spread);
}

WordLoss r_drop_row(float* first, float* second, const PairTarget<float>& of) {
    return with_best_instructions([=]() SOFTALIGN_INLINE_BODY { return loss_of_pair(first, second, of); });
}

WordLoss r_drop_row(double* first, double* second, const PairTarget<double>& of) {
    return loss_of_pair(first, second, of);
}

void log_softmax_row(float* logits, std::int64_t vocabulary) {
    with_best_instructions([=]() SOFTALIGN_INLINE_BODY { subtract_normalizer(logits, vocabulary); });
}

}  // namespace softalign
