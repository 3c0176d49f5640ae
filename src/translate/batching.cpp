#include "translate/batching.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

#include "platform/process.h"

namespace softalign {

namespace {

// The shared state of the threads of one run_in_workers.
class WorkQueue {
public:
    WorkQueue(std::size_t count, const std::function<void(std::size_t)>& task) : count_(count), task_(task) {}

    void work() {
        for (std::size_t i = next_++; i < count_; i = next_++) {
            try {
                task_(i);
            } catch (...) {
                const std::lock_guard<std::mutex> lock(mutex_);
                if (!fault_) {
                    fault_ = std::current_exception();
                }
                next_ = count_;
            }
        }
    }

    void rethrow() const {
        if (fault_) {
            std::rethrow_exception(fault_);
        }
    }

private:
    std::size_t count_;
    const std::function<void(std::size_t)>& task_;
    std::atomic<std::size_t> next_{0};
    std::mutex mutex_;
    std::exception_ptr fault_;
};

}  // namespace

std::vector<std::vector<std::size_t>> batches_by_length(const std::vector<std::int64_t>& lengths,
                                                        const BatchLimits& limits) {
    std::vector<std::size_t> order(lengths.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
    std::vector<std::vector<std::size_t>> batches;
    for (const std::size_t index : order) {
        const bool full = batches.empty() || [&] {
            const std::vector<std::size_t>& last = batches.back();
            const auto sentences = static_cast<std::int64_t>(last.size()) + 1;
            return sentences > limits.sentences || sentences * lengths[last.front()] > limits.positions;
        }();
        if (full) {
            batches.emplace_back();
        }
        batches.back().push_back(index);
    }
    return batches;
}

void run_in_workers(std::size_t count, int workers, const std::function<void(std::size_t)>& task) {
    WorkQueue queue(count, task);
    const std::size_t threads = std::min(count, static_cast<std::size_t>(std::max(workers, 1)));
    if (threads <= 1) {
        queue.work();
    } else {
        std::vector<std::thread> pool;
        for (std::size_t i = 0; i < threads; ++i) {
            pool.emplace_back([&queue] {
                set_up_thread();
                queue.work();
            });
        }
        for (std::thread& thread : pool) {
            thread.join();
        }
    }
    queue.rethrow();
}

}  // namespace softalign
