#pragma once

#include <ATen/ATen.h>

#include "model/loss.h"

namespace softalign {

// The output projection and the cross-entropy of its logits (model/loss.h) in one: readouts [P,R], weight [V,R],
// bias [V], targets [P] int64. On the CPU the words are taken in groups whose logits are never all held at once, and
// the logits of a group become their own gradient in place; elsewhere the projection and cross_entropy.
CrossEntropy output_loss(const at::Tensor& readouts, const at::Tensor& weight, const at::Tensor& bias,
                         const at::Tensor& targets, double epsilon);

}  // namespace softalign
