#pragma once

#include <cstdint>
#include <functional>

#include "platform/worker_pool.h"

namespace softalign {

// How to compute a task.
struct Attempt {
    bool alone = false;      // a retry, with no other task running: discard what the failed attempt has produced
    std::int64_t parts = 1;  // compute it in this many parts, one after another
};

struct MemoryRetries {
    std::int64_t tasks = 0;  // tasks that ran out of memory while others were running
    std::int64_t parts = 1;  // the largest number of parts that one of them needed
};

using AttemptedTask = std::function<void(std::int64_t index, int worker, Attempt attempt)>;

// Calls task(index, worker, {}) for every index in [0, count) on the workers of the pool. Tasks that run out of memory
// are retried after all others have ended and freed theirs, one at a time in the order of their indices, by the caller
// as worker 0: first whole, then in two parts, in four, and so on up to `most_parts(index)`. Rethrows any other
// exception of a task, and the out-of-memory exception if even the smallest parts need too much.
MemoryRetries run_as_memory_allows(WorkerPool& pool, std::int64_t count,
                                   const std::function<std::int64_t(std::int64_t)>& most_parts,
                                   const AttemptedTask& task);

}  // namespace softalign
