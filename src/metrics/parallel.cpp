#include "metrics/parallel.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace softalign {

namespace {

constexpr std::size_t pieces_a_thread = 8;

}  // namespace

void in_parallel(std::size_t size, int threads, const std::function<void(std::size_t, std::size_t)>& action) {
    const std::size_t wanted =
        threads > 0 ? static_cast<std::size_t>(threads) : std::max(1U, std::thread::hardware_concurrency());
    const std::size_t piece = std::max<std::size_t>(1, size / (wanted * pieces_a_thread));
    std::atomic<std::size_t> next{0};
    std::exception_ptr fault;
    std::mutex fault_mutex;
    const auto work = [&] {
        try {
            for (std::size_t begin = next.fetch_add(piece); begin < size; begin = next.fetch_add(piece)) {
                action(begin, std::min(size, begin + piece));
            }
        } catch (...) {
            const std::lock_guard<std::mutex> lock(fault_mutex);
            fault = std::current_exception();
        }
    };
    std::vector<std::thread> helpers;
    try {
        for (std::size_t i = 1; i < std::min(wanted, (size + piece - 1) / piece); ++i) {
            helpers.emplace_back(work);
        }
    } catch (const std::system_error&) {
        // The system gives no more threads: those that were started do the work.
    } catch (const std::bad_alloc&) {
        // Nor the memory for one.
    }
    work();
    for (std::thread& helper : helpers) {
        helper.join();
    }
    if (fault) {
        std::rethrow_exception(fault);
    }
}

}  // namespace softalign
