#include "translate/batching.h"

#include <algorithm>
#include <numeric>

namespace softalign {

BatchLimits limits_of(std::int64_t sentences) {
    constexpr std::int64_t positions_a_sentence = 64;
    return {sentences, sentences * positions_a_sentence};
}

std::vector<std::vector<std::size_t>> batches_by_length(const std::vector<std::int64_t>& lengths,
                                                        const BatchLimits& limits) {
    std::vector<std::size_t> order(lengths.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
    std::vector<std::vector<std::size_t>> batches;
    for (const std::size_t index : order) {
        const bool full = batches.empty() || [&] {
            const std::vector<std::size_t>& last = batches.back();
            const auto sentences = static_cast<std::int64_t>(last.size()) + 1;
            return sentences > limits.sentences || sentences * lengths[last.front()] > limits.positions;
        }();
        if (full) {
            batches.emplace_back();
        }
        batches.back().push_back(index);
    }
    return batches;
}

}  // namespace softalign
