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

struct Extent {
    double largest;
    double sum;
};

template <typename T>
SOFTALIGN_INLINE Extent extent_of(const T* __restrict x, std::int64_t count) {
    T largest[lanes];
    T sums[lanes] = {};
    std::fill_n(largest, lanes, -std::numeric_limits<T>::infinity());
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            const T value = x[i + lane];
            // Written so that NaN stays.
            largest[lane] = largest[lane] > value ? largest[lane] : value;
            sums[lane] += value;
        }
    }
    for (std::int64_t lane = 0; i < count; ++i, ++lane) {
        largest[lane] = largest[lane] > x[i] ? largest[lane] : x[i];
        sums[lane] += x[i];
    }
    Extent result{-std::numeric_limits<double>::infinity(), 0.0};
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
        result.largest = std::max(result.largest, static_cast<double>(largest[lane]));
        result.sum += static_cast<double>(sums[lane]);
    }
    return result;
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
SOFTALIGN_INLINE WordLoss loss_of_row(T* logits, std::int64_t vocabulary, std::int64_t target, double epsilon) {
    const Extent extent = extent_of(logits, vocabulary);
    const auto truth = static_cast<double>(logits[target]);
    const double sum = exponentials(logits, static_cast<T>(extent.largest), vocabulary);
    const double normalizer = extent.largest + std::log(sum);
    const auto scale = static_cast<T>(1.0 / sum);
    const double spread = epsilon / static_cast<double>(vocabulary);
    const auto below = static_cast<T>(spread);
    for (std::int64_t i = 0; i < vocabulary; ++i) {
        logits[i] = logits[i] * scale - below;
    }
    logits[target] -= static_cast<T>(1.0 - epsilon);
    return {normalizer - (1.0 - epsilon) * truth - spread * extent.sum, normalizer - truth};
}

}  // namespace

SOFTALIGN_MULTIVERSION WordLoss cross_entropy_row(float* logits, std::int64_t vocabulary, std::int64_t target,
                                                  double epsilon) {
    return loss_of_row(logits, vocabulary, target, epsilon);
}

WordLoss cross_entropy_row(double* logits, std::int64_t vocabulary, std::int64_t target, double epsilon) {
    return loss_of_row(logits, vocabulary, target, epsilon);
}

SOFTALIGN_MULTIVERSION void log_softmax_row(float* logits, std::int64_t vocabulary) {
    const auto largest = static_cast<float>(extent_of(logits, vocabulary).largest);
    const double sum = sum_of_exponentials(logits, largest, vocabulary);
    const auto normalizer = static_cast<float>(static_cast<double>(largest) + std::log(sum));
    for (std::int64_t i = 0; i < vocabulary; ++i) {
        logits[i] -= normalizer;
    }
}

}  // namespace softalign
