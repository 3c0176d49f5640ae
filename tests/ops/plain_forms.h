#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/loss.h"
#include "ops/packed_rows.h"
#include "ops/plain_execution.h"
#include "ops/recurrent.h"

namespace softalign {

// What operations are compared with: the same with ATen's differentiable operations.

// unit_sequence() step by step.
inline SequenceStates unit_sequence_plain(const UnitSequence& sequence, const PackedRows& rows, Reading direction) {
    const UnitWeights& weights = sequence.weights;
    const at::Tensor zeros = at::zeros({1, weights.weight.size(1)}, weights.weight.options().requires_grad(false));
    const bool has_cell = sequence.type == UnitType::lstm;
    std::vector<at::Tensor> states(rows.counts.size());
    std::vector<at::Tensor> hidden(rows.order.size(), zeros);  // of each row
    std::vector<at::Tensor> cell(rows.order.size(), has_cell ? zeros : at::Tensor());
    if (sequence.start.hidden.defined()) {
        hidden = sequence.start.hidden.split(1);
        cell = has_cell ? sequence.start.cell.split(1) : cell;
    }
    for (std::int64_t i = 0; i < rows.steps(); ++i) {
        const auto t = static_cast<std::size_t>(direction == Reading::backwards ? rows.steps() - 1 - i : i);
        const std::int64_t count = rows.counts[t];
        const auto first = [&](const std::vector<at::Tensor>& x) {
            return at::cat(at::TensorList(x.data(), static_cast<std::size_t>(count)));
        };
        const UnitWeights of_step{weights.weight, weights.bias,
                                  weights.mask.defined() ? weights.mask.narrow(0, 0, count) : at::Tensor(),
                                  weights.norm};
        const UnitState next =
            unit_step_plain(sequence.type, sequence.projected.narrow(0, rows.offsets[t], count), of_step,
                            {first(hidden), has_cell ? first(cell) : at::Tensor()}, plain_execution);
        states[t] = next.hidden;
        for (std::int64_t row = 0; row < count; ++row) {
            hidden[static_cast<std::size_t>(row)] = next.hidden.narrow(0, row, 1);
            if (has_cell) {
                cell[static_cast<std::size_t>(row)] = next.cell.narrow(0, row, 1);
            }
        }
    }
    return {at::cat(states), {at::cat(hidden), has_cell ? at::cat(cell) : at::Tensor()}};
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
