#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "platform/helpers.h"
#include "platform/worker_pool.h"

namespace softalign {

// A long text is read and processed in chunks of so many batches, or of so much text where that is less. The line that
// reaches the limit is part of its chunk.
constexpr std::int64_t chunk_batches = 64;
constexpr std::size_t chunk_bytes = std::size_t{16} << 20;

struct BatchLimits {
    std::int64_t sentences = 64;
    std::int64_t positions = 4096;  // sentences times the length of the longest; one sentence may have more
};

// Limits for batches of this many sentences: as many positions as they have with 64 pieces each, so that the memory of
// a batch stays bounded when sentences are long.
BatchLimits limits_of(std::int64_t sentences);

// Indices into `lengths`, each once, in batches within the limits: the longest sentences first, ties in input order, so
// that a batch has little padding and the last batches, which workers wait for, are cheap.
std::vector<std::vector<std::size_t>> batches_by_length(const std::vector<std::int64_t>& lengths,
                                                        const BatchLimits& limits);

// Helpers that compute batches, as bytes.
struct BatchHelp {
    Helpers* helpers = nullptr;  // null: there are none
    std::function<std::string(const std::vector<std::size_t>& batch)> pack{};
    // Called in any thread, for other batches at the same time.
    std::function<void(const std::vector<std::size_t>& batch, const std::string& answer)> unpack{};
};

// Calls compute(batch) for every batch on the workers, but for those that helpers compute meanwhile. A batch that runs
// out of memory is computed again after all others: whole, then as two batches, as four, and so on down to single
// sentences (run_as_memory_allows). Returns the number of such batches.
std::int64_t run_batches(WorkerPool& pool, const std::vector<std::vector<std::size_t>>& batches,
                         const std::function<void(const std::vector<std::size_t>& batch)>& compute,
                         const BatchHelp& help = {});

// Of a helper: the answer to several batches, as run_batches asks for it. `compute` is called by one thread.
std::string answer_batches(
    const std::string& request,
    const std::function<std::vector<std::string>(const std::vector<std::string>& batches)>& compute);

}  // namespace softalign
