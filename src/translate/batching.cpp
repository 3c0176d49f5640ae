#include "translate/sentence_encoder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "platform/memory.h"

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

std::int64_t run_batches(WorkerPool& pool, const std::vector<std::vector<std::size_t>>& batches,
                         const std::function<void(const std::vector<std::size_t>& batch)>& compute) {
    const auto sentences = [&](std::int64_t number) {
        return static_cast<std::int64_t>(batches[static_cast<std::size_t>(number)].size());
    };
    const auto in_parts = [&](std::int64_t number, int, Attempt attempt) {
        const std::vector<std::size_t>& batch = batches[static_cast<std::size_t>(number)];
        const auto parts = static_cast<std::size_t>(std::min(attempt.parts, sentences(number)));
        for (std::size_t part = 0; part < parts; ++part) {
            const auto begin = batch.begin() + static_cast<std::ptrdiff_t>(batch.size() * part / parts);
            const auto end = batch.begin() + static_cast<std::ptrdiff_t>(batch.size() * (part + 1) / parts);
            compute({begin, end});
        }
    };
    return run_as_memory_allows(pool, static_cast<std::int64_t>(batches.size()), sentences, in_parts).tasks;
}

}  // namespace softalign
