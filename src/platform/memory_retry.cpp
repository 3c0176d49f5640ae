#include "platform/memory_retry.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

#include "platform/out_of_memory.h"

namespace softalign {

namespace {

// False where memory ran out.
bool succeeds(const AttemptedTask& task, std::int64_t index, int worker, Attempt attempt, bool last) {
    try {
        task(index, worker, attempt);
        return true;
    } catch (const std::exception& error) {
        if (last || !is_out_of_memory(error)) {
            throw;
        }
        return false;
    }
}

}  // namespace

MemoryRetries run_as_memory_allows(WorkerPool& pool, std::int64_t count,
                                   const std::function<std::int64_t(std::int64_t)>& most_parts,
                                   const AttemptedTask& task) {
    std::vector<char> done(static_cast<std::size_t>(count));
    pool.run(count, [&](std::int64_t index, int worker) {
        done[static_cast<std::size_t>(index)] = succeeds(task, index, worker, {}, false) ? 1 : 0;
    });
    MemoryRetries retries;
    for (std::int64_t index = 0; index < count; ++index) {
        if (done[static_cast<std::size_t>(index)] != 0) {
            continue;
        }
        ++retries.tasks;
        Attempt attempt{true, 1};
        while (!succeeds(task, index, 0, attempt, attempt.parts >= most_parts(index))) {
            attempt.parts *= 2;
        }
        retries.parts = std::max(retries.parts, attempt.parts);
    }
    return retries;
}

}  // namespace softalign
