#pragma once

#include <cstdint>

namespace softalign {

// Additive attention (Bahdanau et al. 2014, appendix A.1.2) for one query at a time. No array of the size of keys *
// width is stored: the backward pass recomputes tanh, which is cheaper than writing and reading it. Arrays are
// contiguous: query [A], keys [S,A], v [A], scores [S].

// scores[s] = sum_a v[a] tanh(query[a] + keys[s,a]).
void additive_scores(const float* query, const float* keys, const float* v, float* scores, std::int64_t positions,
                     std::int64_t width);
void additive_scores(const double* query, const double* keys, const double* v, double* scores, std::int64_t positions,
                     std::int64_t width);

// Adds the gradients of query [A], keys [S,A] and v [A], from that of the scores [S].
void additive_scores_backward(const float* query, const float* keys, const float* v, const float* grad_scores,
                              float* grad_query, float* grad_keys, float* grad_v, std::int64_t positions,
                              std::int64_t width);
void additive_scores_backward(const double* query, const double* keys, const double* v, const double* grad_scores,
                              double* grad_query, double* grad_keys, double* grad_v, std::int64_t positions,
                              std::int64_t width);

// sum[i] = sum_s weights[s] values[s,i]: values [S,C], sum [C].
void weighted_sum(const float* weights, const float* values, float* sum, std::int64_t positions, std::int64_t width);
void weighted_sum(const double* weights, const double* values, double* sum, std::int64_t positions, std::int64_t width);

// products[s] = sum_i values[s,i] x[i]: values [S,C], x [C], products [S].
void inner_products(const float* values, const float* x, float* products, std::int64_t positions, std::int64_t width);
void inner_products(const double* values, const double* x, double* products, std::int64_t positions,
                    std::int64_t width);

// Adds weights[s] x to values[s] for every s: the gradient of weighted_sum's values. values [S,C], x [C].
void add_outer(const float* weights, const float* x, float* values, std::int64_t positions, std::int64_t width);
void add_outer(const double* weights, const double* x, double* values, std::int64_t positions, std::int64_t width);

// What a query attends to.
template <typename T>
struct AdditiveSource {
    const T* keys;             // [S,A]
    const T* values;           // [S,C]
    std::int64_t positions;    // S
    std::int64_t width;        // A
    std::int64_t value_width;  // C
};

// weights [S] = softmax of the scores; context [C] = their weighted sum of the values. query and v [A].
template <typename T>
void additive_attention(const T* query, const AdditiveSource<T>& source, const T* v, T* weights, T* context);

}  // namespace softalign
