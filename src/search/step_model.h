#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "ops/top_k.h"

namespace softalign {

// The log-probability of a token that must not come.
constexpr float never = -std::numeric_limits<float>::infinity();

struct StepOutput {
    at::Tensor log_probs;  // [N,V] float32, any device: log p(next token | source, prefix), natural logarithm, <= 0
    at::Tensor attention;  // [N,S] float32 weights of the step over the source positions; undefined if there are none
                           // or nobody asked
    // [N,V] float32 of each model of an ensemble, in their order; empty unless an ensemble was asked to keep them.
    std::vector<at::Tensor> model_log_probs;
};

// A model as the search sees it: the decoding state of a batch, with one row per live hypothesis. It starts with one
// row per sentence, in batch order.
class StepModel {
public:
    virtual ~StepModel() = default;

    // Advances every row by `previous` [N] int64 on the CPU (bos at first). N is the current number of rows.
    virtual StepOutput step(const at::Tensor& previous) = 0;

    // Makes row r of the new state a copy of row rows[r] of the old. rows [M] int64 on the CPU, M >= 1; rows of one
    // sentence stay neighbours, sentences in their order. Not called if nothing would change.
    virtual void select(const at::Tensor& rows) = 0;
};

// A step of all rows of a batch as plain row-major arrays on the CPU; N rows, V tokens, S positions.
struct StepView {
    const TopK* best = nullptr;        // the best tokens of each row; one with sampling
    const float* log_probs = nullptr;  // [N,V]; null where nobody reads it
    std::int64_t vocabulary = 0;       // V
    const float* attention = nullptr;  // [N,S]; null where none is kept
    std::int64_t positions = 0;        // S
    std::vector<const float*> models;  // [N,V] of each model of an ensemble; empty where they are not kept

    float log_prob(std::int64_t row, std::int64_t token) const { return log_probs[row * vocabulary + token]; }
};

}  // namespace softalign
