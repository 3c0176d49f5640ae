#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "platform/blas_buffers.h"

namespace softalign {

// A fixed set of threads that work through numbered tasks. Any thread may take any task, so the result of a task must
// depend on its number only.
class WorkerPool {
public:
    // The calling thread is worker 0; workers - 1 threads are started. All can multiply at the same time (BlasBuffers).
    // Throws std::bad_alloc or std::system_error if the system cannot start as many. REQUIRES: workers >= 1.
    explicit WorkerPool(int workers);
    ~WorkerPool();
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    int size() const { return static_cast<int>(threads_.size()) + 1; }

    // Calls task(index, worker) for every index in [0, count) and returns when all are done. After an exception, no new
    // task starts, and the first exception is rethrown when the running tasks have ended. Not to be called from a
    // task. Several threads may call it at the same time. A call with one task, or to a pool of one worker, runs on the
    // caller's thread; other calls take turns to use all the workers.
    void run(std::int64_t count, const std::function<void(std::int64_t index, int worker)>& task);

private:
    void serve(int worker);
    void stop();
    void take_tasks(int worker);

    BlasBuffers buffers_;
    std::vector<std::thread> threads_;
    std::mutex turn_;  // held by the call that uses the workers
    std::mutex mutex_;
    std::condition_variable start_;
    std::condition_variable done_;
    const std::function<void(std::int64_t, int)>* task_ = nullptr;
    std::int64_t count_ = 0;
    std::int64_t next_ = 0;
    std::int64_t round_ = 0;
    int busy_ = 0;
    bool stop_ = false;
    std::exception_ptr failure_;
};

}  // namespace softalign
