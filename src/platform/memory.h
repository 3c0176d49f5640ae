#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <exception>
#include <functional>

#include "platform/worker_pool.h"

namespace softalign {

// Makes the C library keep freed memory for reuse instead of returning it to the system, in one pool for all threads.
// In a loop that allocates and frees the same large arrays again and again, as training and translation do, the system
// would otherwise clear their pages each time. Does nothing if the C library is not glibc.
void keep_freed_memory();

// Gives memory that was freed back to the system, as far as the allocator can.
void return_freed_memory();

// Zeros of the size, type and device of `like`. On the CPU, a page of them takes memory only once it is written to.
// Throws std::bad_alloc.
at::Tensor untouched_zeros(const at::Tensor& like);

// Makes elements [begin, end) of such zeros untouched again, except those that share a page with others. On another
// device than the CPU they stay as they are. REQUIRES: `zeros` is a whole vector that untouched_zeros made.
void release_elements(const at::Tensor& zeros, std::int64_t begin, std::int64_t end);

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

// Whether an exception reports that memory ran out: std::bad_alloc, or LibTorch's exceptions for the memory of the CPU
// or of a GPU.
bool is_out_of_memory(const std::exception& error);

}  // namespace softalign
