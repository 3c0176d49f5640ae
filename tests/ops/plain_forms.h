#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/loss.h"
#include "ops/packed_rows.h"
#include "ops/recurrent.h"

namespace softalign {

// What operations are compared with: the same with ATen's differentiable operations.

// gru_sequence() step by step.
inline SequenceStates gru_sequence_plain(const at::Tensor& projected, const at::Tensor& weight, const at::Tensor& bias,
                                         const at::Tensor& mask, const PackedRows& rows, Reading direction) {
    const std::int64_t width = weight.size(1);
    std::vector<at::Tensor> states(rows.counts.size());
    std::vector<at::Tensor> current(rows.order.size(), at::zeros({1, width}, projected.options()));
    for (std::int64_t i = 0; i < rows.steps(); ++i) {
        const auto t = static_cast<std::size_t>(direction == Reading::backwards ? rows.steps() - 1 - i : i);
        const std::int64_t count = rows.counts[t];
        const at::Tensor before = at::cat(at::TensorList(current.data(), static_cast<std::size_t>(count)));
        const at::Tensor entering = mask.defined() ? before * mask.narrow(0, 0, count) : before;
        states[t] =
            gru_gates_plain(projected.narrow(0, rows.offsets[t], count), at::linear(entering, weight, bias), before);
        for (std::int64_t row = 0; row < count; ++row) {
            current[static_cast<std::size_t>(row)] = states[t].narrow(0, row, 1);
        }
    }
    return {at::cat(states), at::cat(current)};
}

// cross_entropy().
inline CrossEntropy cross_entropy_plain(const at::Tensor& logits, const at::Tensor& targets,
                                        const Smoothing& smoothing) {
    const at::Tensor log_probs = logits.log_softmax(1);
    const at::Tensor truth = log_probs.gather(1, targets.unsqueeze(1)).sum();
    const at::Tensor spread =
        (smoothing.spread.defined() ? log_probs.matmul(smoothing.spread) : log_probs.mean(1)).sum();
    return {truth.mul(-(1.0 - smoothing.epsilon)) - spread.mul(smoothing.epsilon), truth.neg().detach()};
}

}  // namespace softalign
