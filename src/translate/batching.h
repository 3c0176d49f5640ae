#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace softalign {

struct BatchLimits {
    std::int64_t sentences = 64;
    std::int64_t positions = 4096;  // sentences times the length of the longest; one sentence may have more
};

// Indices into `lengths`, each once, in batches within the limits: the longest sentences first, equal ones in their
// order, so that a batch holds little padding and the last batches, which workers wait for, are cheap.
std::vector<std::vector<std::size_t>> batches_by_length(const std::vector<std::int64_t>& lengths,
                                                        const BatchLimits& limits);

// Calls task(0), ..., task(count - 1), each once, from `workers` threads that take the next number when they are free;
// from the calling thread alone for one worker. After an exception no new task starts, and the first one is rethrown
// here once all threads have ended.
void run_in_workers(std::size_t count, int workers, const std::function<void(std::size_t)>& task);

}  // namespace softalign
