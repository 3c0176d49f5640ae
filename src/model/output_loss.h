#pragma once

#include <ATen/ATen.h>

#include "model/loss.h"

namespace softalign {

// The output projection and the cross-entropy of its logits (model/loss.h) in one: readouts [P,R], weight [V,R], bias
// [V], targets [P] int64. On the CPU, words are processed in groups, so the logits are never all in memory, and a
// group's logits are overwritten by their gradient; elsewhere it is the projection, then cross_entropy.
CrossEntropy output_loss(const at::Tensor& readouts, const at::Tensor& weight, const at::Tensor& bias,
                         const at::Tensor& targets, double epsilon);

}  // namespace softalign
