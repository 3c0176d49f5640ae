#include "platform/blas.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <new>
#include <vector>

#include "platform/process.h"

namespace softalign {

namespace {

constexpr int most_buffers = 48;
constexpr std::size_t buffer_size = (std::size_t{128} << 20) + (std::size_t{1} << 16);  // bytes, and what aligns them

// All are guarded by the mutex, which a thread that is not in the child of a fork may have held.
std::mutex* mutex = new std::mutex;
int wanted = 0;
int reserved = 0;

bool addresses_left_for_one() {
    void* const room = ::mmap(nullptr, buffer_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED && ::munmap(room, buffer_size) == 0;
}

// Has OpenBLAS take as many buffers at once, which it keeps when they are given back.
void reserve(int count) {
    const BlasLibrary blas;
    const auto take = reinterpret_cast<void* (*)(int)>(blas.symbol("blas_memory_alloc"));
    const auto give_back = reinterpret_cast<void (*)(void*)>(blas.symbol("blas_memory_free"));
    if (take == nullptr || give_back == nullptr) {
        return;
    }
    std::vector<void*> buffers;
    buffers.reserve(static_cast<std::size_t>(count));
    bool room = true;
    while (room && static_cast<int>(buffers.size()) < count) {
        room = addresses_left_for_one();
        void* const buffer = room ? take(0) : nullptr;
        if (buffer == nullptr) {
            break;
        }
        buffers.push_back(buffer);
    }
    std::for_each(buffers.begin(), buffers.end(), give_back);
    reserved = static_cast<int>(buffers.size());
    if (!room) {
        throw std::bad_alloc();
    }
}

}  // namespace

BlasBuffers::BlasBuffers(int threads) : threads_(threads) {
    static const AfterFork* const in_child = new AfterFork([] { mutex = new std::mutex; });
    static_cast<void>(in_child);
    const std::lock_guard<std::mutex> lock(*mutex);
    const int count = std::min(wanted + threads, most_buffers);
    if (count > reserved) {
        reserve(count);
    }
    wanted += threads;
}

BlasBuffers::~BlasBuffers() {
    const std::lock_guard<std::mutex> lock(*mutex);
    wanted -= threads_;
}

}  // namespace softalign
