#include "kernels/additive_attention.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/instruction_sets.h"
#include "kernels/sum_in_lanes.h"
#include "kernels/vector_math.h"

namespace softalign {

namespace {

template <typename T>
SOFTALIGN_INLINE T score_one(const T* __restrict q, const T* __restrict k, const T* __restrict v, std::int64_t width) {
    return sum_in_lanes<T>(width, [=](std::int64_t a) { return v[a] * vector_tanh(q[a] + k[a]); });
}

template <typename T>
SOFTALIGN_INLINE void backward_one(const T* __restrict q, const T* __restrict k, const T* __restrict v, T g,
                                   T* __restrict grad_q, T* __restrict grad_k, T* __restrict grad_v,
                                   std::int64_t width) {
    for (std::int64_t a = 0; a < width; ++a) {
        const T th = vector_tanh(q[a] + k[a]);
        const T inner = g * v[a] * (static_cast<T>(1) - th * th);
        grad_q[a] += inner;
        grad_k[a] += inner;
        grad_v[a] += g * th;
    }
}

template <typename T>
SOFTALIGN_INLINE void add_scaled(T factor, const T* __restrict x, T* __restrict sum, std::int64_t width) {
    for (std::int64_t i = 0; i < width; ++i) {
        sum[i] += factor * x[i];
    }
}

template <typename T>
SOFTALIGN_INLINE T dot(const T* __restrict x, const T* __restrict y, std::int64_t width) {
    return sum_in_lanes<T>(width, [=](std::int64_t i) { return x[i] * y[i]; });
}

template <typename T>
SOFTALIGN_INLINE void scores_of(const T* query, const T* keys, const T* v, T* scores, std::int64_t positions,
                                std::int64_t width) {
    for (std::int64_t s = 0; s < positions; ++s) {
        scores[s] = score_one(query, keys + s * width, v, width);
    }
}

template <typename T>
SOFTALIGN_INLINE void scores_backward(const T* query, const T* keys, const T* v, const T* grad_scores, T* grad_query,
                                      T* grad_keys, T* grad_v, std::int64_t positions, std::int64_t width) {
    for (std::int64_t s = 0; s < positions; ++s) {
        if (grad_scores[s] != static_cast<T>(0)) {  // padding has none
            backward_one(query, keys + s * width, v, grad_scores[s], grad_query, grad_keys + s * width, grad_v, width);
        }
    }
}

template <typename T>
SOFTALIGN_INLINE void sum_weighted(const T* weights, const T* values, T* sum, std::int64_t positions,
                                   std::int64_t width) {
    std::fill_n(sum, width, static_cast<T>(0));
    for (std::int64_t s = 0; s < positions; ++s) {
        add_scaled(weights[s], values + s * width, sum, width);
    }
}

template <typename T>
SOFTALIGN_INLINE void dots(const T* values, const T* x, T* products, std::int64_t positions, std::int64_t width) {
    for (std::int64_t s = 0; s < positions; ++s) {
        products[s] = dot(values + s * width, x, width);
    }
}

template <typename T>
SOFTALIGN_INLINE void outer(const T* weights, const T* x, T* values, std::int64_t positions, std::int64_t width) {
    for (std::int64_t s = 0; s < positions; ++s) {
        add_scaled(weights[s], x, values + s * width, width);
    }
}

// In place: scores [S] become their softmax.
template <typename T>
void softmax(T* scores, std::int64_t positions) {
    const T largest = *std::max_element(scores, scores + positions);
    T sum = 0;
    for (std::int64_t s = 0; s < positions; ++s) {
        scores[s] = std::exp(scores[s] - largest);
        sum += scores[s];
    }
    for (std::int64_t s = 0; s < positions; ++s) {
        scores[s] /= sum;
    }
}

}  // namespace

void additive_scores(const float* query, const float* keys, const float* v, float* scores, std::int64_t positions,
                     std::int64_t width) {
    with_best_instructions([=]() SOFTALIGN_INLINE_BODY { scores_of(query, keys, v, scores, positions, width); });
}

void additive_scores(const double* query, const double* keys, const double* v, double* scores, std::int64_t positions,
                     std::int64_t width) {
    scores_of(query, keys, v, scores, positions, width);
}

void additive_scores_backward(const float* query, const float* keys, const float* v, const float* grad_scores,
                              float* grad_query, float* grad_keys, float* grad_v, std::int64_t positions,
                              std::int64_t width) {
    with_best_instructions([=]() SOFTALIGN_INLINE_BODY {
        scores_backward(query, keys, v, grad_scores, grad_query, grad_keys, grad_v, positions, width);
    });
}

void additive_scores_backward(const double* query, const double* keys, const double* v, const double* grad_scores,
                              double* grad_query, double* grad_keys, double* grad_v, std::int64_t positions,
                              std::int64_t width) {
    scores_backward(query, keys, v, grad_scores, grad_query, grad_keys, grad_v, positions, width);
}

void weighted_sum(const float* weights, const float* values, float* sum, std::int64_t positions, std::int64_t width) {
    with_best_instructions([=]() SOFTALIGN_INLINE_BODY { sum_weighted(weights, values, sum, positions, width); });
}

void weighted_sum(const double* weights, const double* values, double* sum, std::int64_t positions,
                  std::int64_t width) {
    sum_weighted(weights, values, sum, positions, width);
}

void inner_products(const float* values, const float* x, float* products, std::int64_t positions, std::int64_t width) {
    with_best_instructions([=]() SOFTALIGN_INLINE_BODY { dots(values, x, products, positions, width); });
}

void inner_products(const double* values, const double* x, double* products, std::int64_t positions,
                    std::int64_t width) {
    dots(values, x, products, positions, width);
}

void add_outer(const float* weights, const float* x, float* values, std::int64_t positions, std::int64_t width) {
    with_best_instructions([=]() SOFTALIGN_INLINE_BODY { outer(weights, x, values, positions, width); });
}

void add_outer(const double* weights, const double* x, double* values, std::int64_t positions, std::int64_t width) {
    outer(weights, x, values, positions, width);
}

template <typename T>
void additive_attention(const T* query, const AdditiveSource<T>& source, const T* v, T* weights, T* context) {
    additive_scores(query, source.keys, v, weights, source.positions, source.width);
    softmax(weights, source.positions);
    weighted_sum(weights, source.values, context, source.positions, source.value_width);
}

template void additive_attention(const float* query, const AdditiveSource<float>& source, const float* v,
                                 float* weights, float* context);
template void additive_attention(const double* query, const AdditiveSource<double>& source, const double* v,
                                 double* weights, double* context);

}  // namespace softalign
