#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softalign {

struct BatchLimits {
    std::int64_t sentences = 64;
    std::int64_t positions = 4096;  // sentences times the length of the longest; one sentence may have more
};

// For batches of so many sentences: as many positions as they have with 64 pieces each, so that what a batch needs in
// memory stays in bounds where sentences are long.
BatchLimits limits_of(std::int64_t sentences);

// Indices into `lengths`, each once, in batches within the limits: the longest sentences first, equal ones in their
// order, so that a batch holds little padding and the last batches, which workers wait for, are cheap.
std::vector<std::vector<std::size_t>> batches_by_length(const std::vector<std::int64_t>& lengths,
                                                        const BatchLimits& limits);

}  // namespace softalign
