#pragma once

#include <ATen/ATen.h>

#include <limits>
#include <vector>

namespace softalign {

// The log-probability of a token that must not come.
constexpr float never = -std::numeric_limits<float>::infinity();

struct StepOutput {
    at::Tensor log_probs;  // [N,V] float32, any device: log p(next token | source, prefix), natural logarithm, <= 0
    at::Tensor
        attention;  // [N,S] float32 weights of the step over the source positions; undefined where there are none
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

}  // namespace softalign
