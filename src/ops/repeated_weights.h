#pragma once

#include <ATen/ATen.h>

#include <map>
#include <vector>

#include "ops/affine.h"

namespace softalign {

// The weights of a loop over steps, which multiplies by each of them again and again. affine() and unit_step() take
// them from here where Execution::repeated is set. The gradient of such a weight is one product over the rows of all
// steps, made once the backward pass has left the loop, instead of one product for each step: a step has few rows, so
// that its product mostly reads and writes the gradient. The products of the steps use the packed weights, if there are
// any.
class RepeatedWeights {
public:
    // What stands for `weight` [N,K] in every step of one forward pass; `weight` itself where no gradient is wanted.
    // The object need not outlive the forward pass.
    at::Tensor of(const at::Tensor& weight);

private:
    struct Entry {
        at::Tensor weight;  // kept, so that its place is not another's
        at::Tensor stand_in;
    };
    std::map<const void*, Entry> entries_;
};

// Whether a tensor is of RepeatedWeights::of().
bool is_repeated(const at::Tensor& weight);

// Keeps the factors of a gradient (deposit_products) for the end of the loop. False if the weight is not repeated.
bool keep_for_the_end(const at::Tensor& weight, const std::vector<GradientFactors>& parts, const PackedWeights* packed);

}  // namespace softalign
