#pragma once

#include <cstdint>
#include <vector>

#include "ops/top_k.h"

namespace softalign {

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
