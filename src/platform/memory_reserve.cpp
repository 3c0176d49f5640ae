#include "platform/memory_reserve.h"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <new>

namespace softalign {

namespace {

constexpr std::size_t block_bytes = std::size_t{16} << 20;

// To try again with, and for destructors.
std::array<std::atomic<void*>, 2>& blocks() {
    static std::array<std::atomic<void*>, 2> all{};
    return all;
}

bool release(std::atomic<void*>& block) {
    void* const memory = block.exchange(nullptr);
    return memory != nullptr && ::munmap(memory, block_bytes) == 0;
}

void give_way() {
    if (!release(blocks()[0])) {
        release(blocks()[1]);
        throw std::bad_alloc();
    }
}

}  // namespace

MemoryReserve::MemoryReserve() {
    refill();
    std::set_new_handler(give_way);
}

MemoryReserve::~MemoryReserve() {
    std::set_new_handler(nullptr);
    for (std::atomic<void*>& block : blocks()) {
        release(block);
    }
}

void MemoryReserve::refill() {
    for (std::atomic<void*>& block : blocks()) {
        if (block.load() != nullptr) {
            continue;
        }
        // Never written to, so it takes address space alone.
        void* const memory =
            ::mmap(nullptr, block_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        void* none = nullptr;
        if (memory != MAP_FAILED && !block.compare_exchange_strong(none, memory)) {
            ::munmap(memory, block_bytes);
        }
    }
}

}  // namespace softalign
