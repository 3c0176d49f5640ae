#pragma once

#include <ATen/ATen.h>

#include "config/config.h"
#include "data/batch.h"

namespace softalign {

// Guided alignment (Chen, Matusov, Khadivi and Peter 2016): attention is trained to be an alignment that is given.

// The alignment of a batch as in TensorBatch: [B,T,S] float, on the host; undefined where it has none.
at::Tensor alignment_of(const Batch& batch);

// How far weights alpha [P,S] of attention are from an alignment A [P,S], whose rows sum to 1 or are 0, summed over
// the rows that sum to 1; scalar, differentiable:
//   cross_entropy: - sum_s A_ts log(alpha_ts + 1e-8), in nats, where alpha may be exactly 0 (local attention);
//   squared_error: sum_s (A_ts - alpha_ts)^2.
at::Tensor alignment_cost(const at::Tensor& weights, const at::Tensor& alignment, AlignmentCost cost);

}  // namespace softalign
