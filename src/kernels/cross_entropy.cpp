#include "kernels/cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

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

}  // namespace

SOFTALIGN_MULTIVERSION WordLoss cross_entropy_row(float* logits, std::int64_t vocabulary, std::int64_t target,
                                                  double epsilon, const float* spread) {
    return loss_of_row(logits, vocabulary, target, epsilon, spread);
}

WordLoss cross_entropy_row(double* logits, std::int64_t vocabulary, std::int64_t target, double epsilon,
                           const double* spread) {
    return loss_of_row(logits, vocabulary, target, epsilon, spread);
}

SOFTALIGN_MULTIVERSION void log_softmax_row(float* logits, std::int64_t vocabulary) {
    const auto largest = static_cast<float>(largest_of(logits, vocabulary));
    const double sum = sum_of_exponentials(logits, largest, vocabulary);
    const auto normalizer = static_cast<float>(static_cast<double>(largest) + std::log(sum));
    for (std::int64_t i = 0; i < vocabulary; ++i) {
        logits[i] -= normalizer;
    }
}

}  // namespace softalign
