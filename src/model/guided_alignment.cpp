#include "model/guided_alignment.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softalign {

at::Tensor alignment_of(const Batch& batch) {
    if (batch.alignments.empty()) {
        return {};
    }
    at::Tensor alignment = at::zeros({batch.sentences, batch.target_width, batch.source_width}, at::kFloat);
    auto* const values = alignment.data_ptr<float>();
    std::vector<std::int64_t> links(static_cast<std::size_t>(batch.target_width));  // of each target word
    for (std::int64_t row = 0; row < batch.sentences; ++row) {
        links.assign(links.size(), 0);
        const std::vector<PieceLink>& of_row = batch.alignments[static_cast<std::size_t>(row)];
        for (const PieceLink& link : of_row) {
            ++links[static_cast<std::size_t>(link.target)];
        }
        for (const PieceLink& link : of_row) {
            values[(row * batch.target_width + link.target) * batch.source_width + link.source] =
                1.0F / static_cast<float>(links[static_cast<std::size_t>(link.target)]);
        }
    }
    return alignment;
}

at::Tensor alignment_cost(const at::Tensor& weights, const at::Tensor& alignment, AlignmentCost cost) {
    const at::Tensor truth = alignment.type_as(weights);
    if (cost == AlignmentCost::cross_entropy) {
        constexpr double smallest = 1e-8;
        return -(truth * (weights + smallest).log()).sum();
    }
    const at::Tensor linked = truth.amax(1, true).gt(0);
    return ((truth - weights).square() * linked).sum();
}

}  // namespace softalign
