#include "platform/memory.h"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <new>
#include <string>
#include <vector>

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

at::Tensor untouched_zeros(const at::Tensor& like) {
    if (!like.device().is_cpu() || like.numel() == 0) {
        return at::zeros_like(like);
    }
    const std::size_t bytes = like.nbytes();
    void* pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        throw std::bad_alloc();
    }
    return at::from_blob(
        pages, like.sizes(), [bytes](void* begin) { ::munmap(begin, bytes); }, like.options().requires_grad(false));
}

void release_elements(const at::Tensor& zeros, std::int64_t begin, std::int64_t end) {
    if (!zeros.device().is_cpu() || begin >= end) {
        return;
    }
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    auto* const bytes = static_cast<char*>(zeros.data_ptr());
    const std::size_t first = (static_cast<std::size_t>(begin) * zeros.element_size() + page - 1) / page * page;
    const std::size_t last = static_cast<std::size_t>(end) * zeros.element_size();
    // The end of the vector is the end of its pages.
    const std::size_t stop = end == zeros.numel() ? last : last / page * page;
    if (first < stop) {
        ::madvise(bytes + first, stop - first, MADV_DONTNEED);  // advice: if it is not taken, memory stays in use
    }
}

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

bool is_out_of_memory(const std::exception& error) {
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
        return true;
    }
    const auto* torch = dynamic_cast<const c10::Error*>(&error);
    if (torch == nullptr) {
        return false;
    }
    // The CPU's allocator has no exception of its own, and a GPU's not in every version: the words are what there is.
    const std::string text = torch->what_without_backtrace();
    const char* const words[] = {"can't allocate memory", "not enough memory", "out of memory"};
    return std::any_of(std::begin(words), std::end(words),
                       [&](const char* part) { return text.find(part) != std::string::npos; });
}

}  // namespace softalign
