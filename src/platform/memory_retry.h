#pragma once

#include <cstdint>
#include <functional>

#include "platform/worker_pool.h"

namespace softalign {

// How a task is to be computed.
struct Attempt {
    bool alone = false;      // not the first time: what the task had put down before it failed is to be put down anew
    std::int64_t parts = 1;  // one after another
};

struct MemoryRetries {
    std::int64_t tasks = 0;  // those for which memory ran out beside the others
    std::int64_t parts = 1;  // the most that one of them was computed in
};

using AttemptedTask = std::function<void(std::int64_t index, int worker, Attempt attempt)>;

// Calls task(index, worker, {}) for every index in [0, count) on the workers of the pool. Those for which memory runs
// out are computed when the others have ended and given theirs back, one after another in the order of their numbers,
// by the caller as worker 0: first whole, then in two parts, in four, and so on up to `most_parts(index)`. Throws what
// a task throws, and what says that memory ran out where the smallest parts are too much.
MemoryRetries run_as_memory_allows(WorkerPool& pool, std::int64_t count,
                                   const std::function<std::int64_t(std::int64_t)>& most_parts,
                                   const AttemptedTask& task);

}  // namespace softalign
