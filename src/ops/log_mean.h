#pragma once

#include <ATen/ATen.h>

#include <vector>

namespace softalign {

// log_probs of one shape and type, natural logarithms -> ln sum_i w_i e^(x_i), elementwise and at most 0, in place of
// the first. In float32 where has_fused_form(), one pass over all (kernels/log_mean.h). Without gradients. REQUIRES: as
// many weights as log_probs, at least one; weights > 0 that sum to 1.
at::Tensor log_of_mean(const std::vector<at::Tensor>& log_probs, const std::vector<double>& weights);

}  // namespace softalign
